import { expect, test } from "vitest"
import type { Part } from "../cut-parts.ts"
import type { Note } from "../notes/notes.ts"
import type { PartNotes } from "../read-parts.ts"
import { testBlock, testDocument } from "../testing/documents.ts"
import { notesOfParts } from "./notes-of-parts.ts"

/** What is made of these notes, each of a part with these documents: its text, and the documents that it may be of. */
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

// Would catch: a table that lacks what a document says because another one says the same.
test("a row without a place is kept once for each document", () => {
  expect(made(["a", row("Rent"), row("Rent")], ["b", row("Rent")])).toEqual([
    ["Rent", "a"],
    ["Rent", "b"],
  ])
  expect(made(["a", row("Rent", 0)], ["b", row("Rent")])).toEqual([
    ["Rent", "a"],
    ["Rent", "b"],
  ])
})

// Would catch: a row that is told with its place and once more without, or two documents' one taken for the first one's.
test("a row without a place is left out where all its documents have it", () => {
  expect(made(["a", row("Rent", 0), row("Rent")])).toEqual([["Rent", "a"]])
  expect(made(["a", row("Rent", 0)], ["ab", row("Rent")], ["b", row("Rent")])).toEqual([
    ["Rent", "a"],
    ["Rent", "ab"],
  ])
})

// Would catch: a summary that says the same for each document.
test("a statement without a place is kept once, and not where another one has a place", () => {
  expect(made(["a", words("Rent")], ["b", words("Rent")])).toEqual([["Rent", "a"]])
  expect(made(["a", words("Rent")], ["b", words("Rent", 0)])).toEqual([["Rent", "b"]])
})
