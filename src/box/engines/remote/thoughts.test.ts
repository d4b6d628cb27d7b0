import { describe, expect, it } from "vitest"
import { createThoughtSplitter } from "./thoughts.ts"

/** Returns the whole output, joined by kind, regardless of how the text was split. */
function split(pieces: readonly string[], startsInThoughts = false, isCut = false) {
  const splitter = createThoughtSplitter(startsInThoughts)
  const said = { text: "", reasoning: "" }
  for (const { type, text } of [
    ...pieces.flatMap((piece) => [...splitter.add(piece)]),
    ...splitter.end(isCut),
  ])
    said[type] += text
  return said
}

describe("thoughts left in the text", () => {
  // Catches tags that are found only if they arrive in one piece.
  it.each([1, 2, 3, 7, 100])("are separated when cut into pieces of %i", (size) => {
    const text = "\n<think>\nIs 1 < 2? </thin> yes.</think>\n\nYes: 1 <think> 2."
    const pieces = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? []
    expect(split(pieces)).toEqual({ reasoning: "\nIs 1 < 2? </thin> yes.", text: "Yes: 1 <think> 2." })
  })

  // Catches text that is lost because it looked like a tag up to its end.
  it.each(["<thin", "  ", "<thinker> says", "No <think>tags</think> here"])("leaves %j as it is", (text) => {
    expect(split(text.split(""))).toEqual({ reasoning: "", text })
  })

  it("keeps thoughts that are never closed", () => {
    expect(split(["<think>and so", " on </th"])).toEqual({ reasoning: "and so on </th", text: "" })
  })

  describe("with a closing tag only", () => {
    // Catches a tag that stays in the answer, however it is split.
    it.each([1, 2, 5, 100])("leave no tag when cut into pieces of %i", (size) => {
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

    // Catches an answer without text from a model that was wrongly expected to start with thoughts, or that was cut off during them.
    it.each([false, true])("are the text if the tag never arrives, with the answer cut: %s", (isCut) => {
      const said = "Hello there. <"
      expect(split(["Hello", " there. <"], true, isCut)).toEqual({ reasoning: said, text: said })
      expect(split(["<think>hm</think>Hello."], true)).toEqual({ reasoning: "hm", text: "Hello." })
      expect(split([" "], true)).toEqual({ reasoning: "", text: " " })
    })
  })

  it("holds back at most a hundred blanks", () => {
    const splitter = createThoughtSplitter()
    expect([...splitter.add(" ".repeat(101))]).toEqual([{ type: "text", text: " ".repeat(101) }])
  })
})
