import { expect, test } from "vitest"
import type { Part } from "../documents.ts"
import type { Note } from "../notes/notes.ts"
import type { PartNotes } from "../read-parts.ts"
import { testBlock, testDocument } from "../testing/documents.ts"
import { notesOfParts } from "./cited-notes.ts"

/** Merges these notes, each from a part with these documents. Returns the text of each result and the documents that it may come from. */
function made(...noted: [documents: string, ...Note[]][]): [string, string][] {
  const block = testBlock("Rent")
  const read = new Map<Part, PartNotes>(
    noted.map(([documents, ...notes]) => [
      documents.split("").map((id) => ({ document: testDocument(id, [block]), index: 0, block })),
      { notes, unread: new Map() },
    ]),
  )
  return notesOfParts([...read.keys()], read).map(({ text, at, from = [] }) => [
    text,
    [...at.map(({ document }) => document), ...from].map(({ file }) => file.id).join(""),
  ])
}
const row = (text: string, ...blocks: number[]): Note => ({ text, blocks, cells: [text] })
const words = (text: string, ...blocks: number[]): Note => ({ text, blocks })

// Catches a table that lacks a row of one document because another document has the same row.
test("a row without a location is kept once for each document", () => {
  expect(made(["a", row("Rent"), row("Rent")], ["b", row("Rent")])).toEqual([
    ["Rent", "a"],
    ["Rent", "b"],
  ])
  expect(made(["a", row("Rent", 0)], ["b", row("Rent")])).toEqual([
    ["Rent", "a"],
    ["Rent", "b"],
  ])
})

// Catches a row that is listed both with and without its location, and a row of two documents that is treated as the first document's.
test("a row without a location is left out if all its documents have it", () => {
  expect(made(["a", row("Rent", 0), row("Rent")])).toEqual([["Rent", "a"]])
  expect(made(["a", row("Rent", 0)], ["ab", row("Rent")], ["b", row("Rent")])).toEqual([
    ["Rent", "a"],
    ["Rent", "ab"],
  ])
})

// Catches a summary that repeats the same statement for each document.
test("a statement without a location is kept once, and left out if another one has a location", () => {
  expect(made(["a", words("Rent")], ["b", words("Rent")])).toEqual([["Rent", "a"]])
  expect(made(["a", words("Rent")], ["b", words("Rent", 0)])).toEqual([["Rent", "b"]])
})
