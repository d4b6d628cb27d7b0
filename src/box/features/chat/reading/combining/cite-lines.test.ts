import { expect, test } from "vitest"
import { numberBlocks, createSources, createLineCiting } from "./cited-notes.ts"
import { testBlock, testDocument } from "../testing/documents.ts"

// Catches a model that returns very much text at once about very many notes, while the box responds to no one.
test("yields to other work between the lines of a large piece", async () => {
  const document = testDocument(
    "d",
    Array.from({ length: 2_000 }, (_, index) => testBlock(`${index}`)),
  )
  const notes = document.blocks.map((block, index) => ({
    text: `what all of these notes say ${index}`,
    at: [{ document, index, block }],
  }))
  const sources = createSources({ getPassage: () => Promise.resolve(null) }, "http://127.0.0.1")
  const citing = createLineCiting(notes, numberBlocks(notes), sources)
  let turns = 0
  let next = setImmediate(function turn() {
    turns++
    next = setImmediate(turn)
  })
  let lines = 0
  for await (const _ of citing.add("what all of these notes say\n".repeat(200))) lines++
  clearImmediate(next)
  expect(lines).toBe(200)
  expect(turns).toBeGreaterThan(3)
})
