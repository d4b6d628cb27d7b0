import { expect, test } from "vitest"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { createFileReading, type FileReadingDeps } from "./read-files.ts"

// Would catch: a stranger who tells by how long a refusal takes whether a folder has files of a name, and has the box look for more
// of them than it would for anybody at once.
test("nothing of a folder is looked up for who may not see it", async () => {
  let looks = 0
  const noAccess = () => Promise.reject(new AppError("forbidden", sentence("folders.none_such")))
  const deps = {
    access: { place: noAccess, find: noAccess },
    store: {
      page: async () => ({ total: ++looks, rows: [] }),
      completed: async () => (++looks, []),
    },
  } as Partial<FileReadingDeps> as FileReadingDeps
  const reading = createFileReading(deps)
  await expect(reading.list("ann", "f", { limit: 9, offset: 0, search: "salary" })).rejects.toThrow(AppError)
  await expect(reading.readable("ann", "f", 9, [])).rejects.toThrow(AppError)
  await expect(reading.spreadsheets("ann", "f")).rejects.toThrow(AppError)
  expect(looks).toBe(0)
})

// Would catch: an answer that begins and then breaks off, because its text can't be read.
test("a text that can't be read is refused before any of it is given", async () => {
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
