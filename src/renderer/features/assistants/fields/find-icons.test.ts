import { expect, test } from "vitest"
import { findIcons } from "./AppearanceFields.tsx"

const names = ["ChartLine", "Bot", "LineChart2", "BotMessageSquare", "Baseline"]

// Catches an icon picker that doesn't find the words people type.
test("finds icons by words and by name, closest first", () => {
  expect(findIcons(names, "line")).toEqual(["LineChart2", "ChartLine", "Baseline"])
  expect(findIcons(names, "chart line")).toEqual(["ChartLine", "LineChart2"])
  expect(findIcons(names, "BotMess")).toEqual(["BotMessageSquare"])
  expect(findIcons(names, "bot")).toEqual(["Bot", "BotMessageSquare"])
  expect(findIcons(names, "nothing like it")).toEqual([])
  expect(findIcons(names, " ")).toEqual(["Bot", "ChartLine"])
})
