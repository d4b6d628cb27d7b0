import { expect, test } from "vitest"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { createFileReading, type FileReadingDeps } from "./read-files.ts"

// Catches a stranger who can tell from the response time of a refusal whether a folder has files with a name. Also catches a stranger who
// makes the server search for more files than it would for anyone else.
test("a folder isn't searched for a user who can't see it", async () => {
  let checkCount = 0
  const noAccess = () => Promise.reject(new AppError("forbidden", sentence("folders.none_such")))
  const deps = {
    access: { place: noAccess, find: noAccess },
    store: {
      page: async () => ({ total: ++checkCount, rows: [] }),
      completed: async () => (++checkCount, []),
    },
  } as Partial<FileReadingDeps> as FileReadingDeps
  const reading = createFileReading(deps)
  await expect(reading.list("ann", "f", { limit: 9, offset: 0, search: "salary" })).rejects.toThrow(AppError)
  await expect(reading.readable("ann", "f", 9, {})).rejects.toThrow(AppError)
  await expect(reading.spreadsheets("ann", "f")).rejects.toThrow(AppError)
  expect(checkCount).toBe(0)
})

// Catches an answer that starts and then breaks off because its text can't be read.
test("a text that can't be read is refused before any of it is returned", async () => {
  const unreadable = new AppError("conflict", sentence("files.text_unreadable"))
  const deps = {
    access: { find: async () => ({ row: { status: "completed", generatedBy: null } }) },
    async *blocks(id: string) {
      if (id === "broken") throw unreadable
      yield [{ kind: "paragraph", text: "One" }]
      yield [{ kind: "paragraph", text: "Two" }]
    },
  } as unknown as FileReadingDeps
  const reading = createFileReading(deps)
  await expect(reading.text("ann", "f", "broken")).rejects.toBe(unreadable)
  const texts: string[] = []
  for await (const blocks of await reading.text("ann", "f", "sound"))
    texts.push(...blocks.map(({ text }) => text))
  expect(texts).toEqual(["One", "Two"])
})
