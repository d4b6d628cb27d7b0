import { expect, test } from "vitest"
import { createSources, numberBlocks, createLineCiting } from "../combining/cited-notes.ts"
import { parseNotes, repeatsItself, isNothingRelevant, createRareWords } from "./notes.ts"
import { escapePromptText } from "../part-prompt.ts"

const texts = ["The rent is 900 euros a month.", "The notice period is three months.", "The walrus sleeps."]

// Catches a statement that cites the wrong block because the model forgot or invented its number.
test("keeps a statement's valid numbers, or uses the block that shares its rare words if there are none", () => {
  const answer = "- Rent: 900 euros [1].\n* Three months' notice period [9]\n3. The walrus sleeps\n\nNONE\n"
  expect(parseNotes(answer, texts)).toEqual([
    { text: "Rent: 900 euros.", blocks: [0] },
    { text: "Three months' notice period", blocks: [1] },
    { text: "The walrus sleeps", blocks: [2] },
  ])
  expect(parseNotes("Completely unrelated", texts)).toEqual([{ text: "Completely unrelated", blocks: [] }])
  expect(parseNotes("Same [1]\nSame [3, 2]", texts)).toEqual([{ text: "Same", blocks: [0, 2, 1] }])
})

test("recognises an answer without notes and a model that repeats itself", () => {
  expect(isNothingRelevant(" None. ")).toBe(true)
  expect(isNothingRelevant("None of them signed.")).toBe(false)
  expect(repeatsItself(" on and on".repeat(80))).toBe(true)
  expect(repeatsItself(texts.join(" "))).toBe(false)
})

// Catches an answer line that gets a citation by chance.
test("is certain only if one text stands out", () => {
  const rare = createRareWords(["Invoice 17 of Rossi: 900 euros", "Invoice 18 of Bianchi: 900 euros"])
  expect(rare.certain("Invoice 18 of Bianchi")).toBe(1)
  expect(rare.certain("An invoice of 900 euros")).toBeNull()
  expect(rare.certain("All of this is summed up below, says Bianchi, who lives elsewhere")).toBeNull()
})

// Catches a line of spaces only, which is searched again from each space and blocks the whole box.
test("handles endless spaces quickly", async () => {
  const gap = " ".repeat(400_000)
  expect(parseNotes(`One${gap}two [1]`, texts)).toEqual([{ text: `One${gap}two`, blocks: [0] }])
  expect(escapePromptText(`<${gap}part> <${gap}/${gap}part>`)).toBe(`‹${gap}part> ‹${gap}/${gap}part>`)
  expect(escapePromptText(`<${gap}apart>`)).toBe(`<${gap}apart>`)
  const sources = createSources({ getPassage: () => Promise.resolve(null) }, "http://127.0.0.1")
  const citing = createLineCiting([], numberBlocks([]), sources)
  for await (const event of citing.add(`One${gap}two${gap}[1]\n`))
    expect(event).toEqual({ type: "text-delta", textDelta: `One${gap}two\n` })
})

// Catches a line that is lost or emitted twice when it arrives in pieces.
test("emits whole lines however the text is split", async () => {
  const sources = createSources({ getPassage: () => Promise.resolve(null) }, "http://127.0.0.1")
  const citing = createLineCiting([], numberBlocks([]), sources)
  const messages: string[] = []
  for (const piece of ["a", "b\n", "\nc", "d\ne\nf", "g"])
    for await (const event of citing.add(piece))
      if (event.type === "text-delta") messages.push(event.textDelta)
  for await (const event of citing.end()) if (event.type === "text-delta") messages.push(event.textDelta)
  expect(messages).toEqual(["ab\n", "\n", "cd\n", "e\n", "fg"])
})
