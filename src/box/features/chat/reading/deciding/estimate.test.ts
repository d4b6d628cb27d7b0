import { openTestDatabase } from "../../../../core/database/testing/test-database.ts"
import { hash } from "node:crypto"
import { mkdtempDisposable } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { ChatEngine } from "../../../../engines/engine.ts"
import { cutParts, type Part, countCharacters, type Document } from "../documents.ts"
import { estimateReading } from "./decide-reading.ts"
import { noteTask } from "../part-prompt.ts"
import type { ReadingLibrary } from "../library.ts"
import { createNoteStore } from "../notes/note-store.ts"
import { testBlock, testDocument } from "../testing/documents.ts"

const engine = { model: { id: "m", kind: "local", contextSize: 8_192 } } as ChatEngine
const getDocument = (id: string, blocks: number): Document =>
  testDocument(
    id,
    Array.from({ length: blocks }, (_, index) => testBlock(`Number ${index} lies still. `.repeat(20))),
  )

/** Texts that may be counted but not opened. */
const getLibrary = (documents: readonly Document[]): ReadingLibrary => ({
  files: () => Promise.resolve(documents.map(({ file }) => file)),
  filtered: (_reader, files) => Promise.resolve([...files]),
  pending: () => Promise.resolve({ count: 0, files: [] }),
  file: () => Promise.resolve(null),
  blocks: () => Promise.reject(new Error("A text was opened.")),
  characters: () =>
    Promise.resolve(new Map(documents.map(({ file, blocks }) => [file.id, countCharacters(blocks)]))),
  beginning: () => Promise.resolve([]),
  getPassage: () => Promise.resolve(null),
})

/** Time of one model request: start-up, reading and writing notes. */
const millisecondsFor = (characters: number) => 2_000 + characters * 1.5 + 4_000
const charactersIn = (part: Part) => part.reduce((sum, { block }) => sum + block.text.length, 0)

// Catches an estimate of "3 minutes" for a reading that takes ten, and texts that are opened just to be counted.
test.each([
  ["one long document", [getDocument("a", 2_000)]],
  ["many small files", Array.from({ length: 300 }, (_, index) => getDocument(`f${index}`, 4))],
  ["some of each", [getDocument("a", 900), ...Array.from({ length: 40 }, (_, i) => getDocument(`f${i}`, 9))]],
])("estimates the time within a factor of two after one part was read: %s", async (_, documents) => {
  await using directory = await mkdtempDisposable(join(tmpdir(), "casella-estimate-"))
  await using database = await openTestDatabase(join(directory.path, "casella.sqlite"))
  const notes = createNoteStore(database.db)
  const parts = cutParts(documents, 20_000)
  const [first = []] = parts
  await notes.keep({
    model: "local/m",
    question: hash("sha256", "Another one?", "buffer"),
    hash: hash("sha256", "first", "buffer"),
    fileIds: [],
    notes: [],
    characters: charactersIn(first),
    milliseconds: millisecondsFor(charactersIn(first)),
    tokens: null,
  })
  const limit = () => ({ characters: 10_000_000, minutes: 1_000 })
  const deps = { library: getLibrary(documents), notes: () => Promise.resolve(notes), limit }
  const scope = { userId: "alice", granted: [], generated: [], vectorIds: ["folder"], fileIds: null }
  const { estimatedSeconds, ...estimate } = await estimateReading(
    deps,
    engine,
    scope,
    noteTask("What is there?"),
  )
  const taken = parts.reduce((sum, part) => sum + millisecondsFor(charactersIn(part)), millisecondsFor(4_000))
  expect(estimatedSeconds).toBeGreaterThan(taken / 1_000 / 2)
  expect(estimatedSeconds).toBeLessThan((taken / 1_000) * 2)
  const characters = documents.reduce((sum, { blocks }) => sum + countCharacters(blocks), 0)
  expect(estimate).toMatchObject({ files: documents.length, characters, fits: true, isMeasured: true })
})
