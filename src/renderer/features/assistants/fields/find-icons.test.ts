import { expect, test } from "vitest"
import { findIcons } from "./find-icons.ts"

const names = ["ChartLine", "Bot", "LineChart2", "BotMessageSquare", "Baseline"]

// Would catch: a picker that finds nothing by the words people type.
test("icons are found by words and by name, the nearest first", () => {
  expect(findIcons(names, "line")).toEqual(["LineChart2", "ChartLine", "Baseline"])
  expect(findIcons(names, "chart line")).toEqual(["ChartLine", "LineChart2"])
  expect(findIcons(names, "BotMess")).toEqual(["BotMessageSquare"])
  expect(findIcons(names, "bot")).toEqual(["Bot", "BotMessageSquare"])
  expect(findIcons(names, "nothing like it")).toEqual([])
  expect(findIcons(names, " ")).toEqual(["Bot", "ChartLine"])
})
