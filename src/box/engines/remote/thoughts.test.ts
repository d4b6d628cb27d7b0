import { describe, expect, it } from "vitest"
import { createThoughtSplitter } from "./thoughts.ts"

/** Everything said, each kind joined, however the text was cut. */
function split(pieces: readonly string[]) {
  const splitter = createThoughtSplitter()
  const said = { text: "", reasoning: "" }
  for (const { type, text } of [...pieces.flatMap((piece) => [...splitter.add(piece)]), ...splitter.end()])
    said[type] += text
  return said
}

describe("thoughts left in the text", () => {
  // Would catch tags that are only found when they come in one piece.
  it.each([1, 2, 3, 7, 100])("are told apart, cut into pieces of %i", (size) => {
    const text = "\n<think>\nIs 1 < 2? </thin> yes.</think>\n\nYes: 1 <think> 2."
    const pieces = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? []
    expect(split(pieces)).toEqual({ reasoning: "\nIs 1 < 2? </thin> yes.", text: "Yes: 1 <think> 2." })
  })

  // Would catch text that is lost because it looked like a tag to its end.
  it.each(["<thin", "  ", "<thinker> says", "No <think>tags</think> here"])("leaves %j as it is", (text) => {
    expect(split(text.split(""))).toEqual({ reasoning: "", text })
  })

  it("keeps thoughts that were never closed", () => {
    expect(split(["<think>and so", " on </th"])).toEqual({ reasoning: "and so on </th", text: "" })
  })

  it("holds no more than a hundred blanks", () => {
    const splitter = createThoughtSplitter()
    expect([...splitter.add(" ".repeat(101))]).toEqual([{ type: "text", text: " ".repeat(101) }])
  })
})
