import { describe, expect, it } from "vitest"
import { createThoughtSplitter } from "./thoughts.ts"

/** Everything said, each kind joined, however the text was cut. */
function split(pieces: readonly string[], beginsInThoughts = false, isCut = false) {
  const splitter = createThoughtSplitter(beginsInThoughts)
  const said = { text: "", reasoning: "" }
  for (const { type, text } of [
    ...pieces.flatMap((piece) => [...splitter.add(piece)]),
    ...splitter.end(isCut),
  ])
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

  describe("of which only the closing tag is there", () => {
    // Would catch a tag that stays in the answer, in whatever pieces it comes.
    it.each([1, 2, 5, 100])("leave no tag, cut into pieces of %i", (size) => {
      const pieces = (text: string) => text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? []
      expect(split(pieces("</think>\n\nIt is 8."))).toEqual({ reasoning: "", text: "It is 8." })
      const whole = "I consider this.\n</think>\n\nIt is 7."
      const result = split(pieces(whole))
      expect(result.reasoning + result.text).toMatch(/^I consider this\.\s+It is 7\.$/)
      expect(split(pieces(whole), true)).toEqual({ reasoning: "I consider this.\n", text: "It is 7." })
      expect(split(pieces("I consider this.</think>\nIt is 7."), true).text).toBe("It is 7.")
    })

    it.each([
      "Use the tag `<think>` and close it with `</think>` like so.",
      "Close it with `</think>` like so.",
      "It ends with </think> there.",
    ])("aren't mistaken for text about tags: %j", (text) => {
      expect(split(text.split(""))).toEqual({ reasoning: "", text })
    })

    // Would catch an answer without text from a model that was wrongly expected to begin with thoughts, or that was cut off in them.
    it.each([false, true])("are the text where the tag never comes, with the answer cut: %s", (isCut) => {
      const said = "Hello there. <"
      expect(split(["Hello", " there. <"], true, isCut)).toEqual({ reasoning: said, text: said })
      expect(split(["<think>hm</think>Hello."], true)).toEqual({ reasoning: "hm", text: "Hello." })
      expect(split([" "], true)).toEqual({ reasoning: "", text: " " })
    })
  })

  it("holds no more than a hundred blanks", () => {
    const splitter = createThoughtSplitter()
    expect([...splitter.add(" ".repeat(101))]).toEqual([{ type: "text", text: " ".repeat(101) }])
  })
})
