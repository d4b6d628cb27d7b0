import { expect, test } from "vitest"
import { type Upload, pickQuestionFiles, withoutUpload, type NewFiles } from "./attachment-store.ts"
import type { FileEntry } from "../../../../../shared/contract/files.ts"

const file = (id: string, day: number) =>
  ({ id, name: `${id}.png`, createdAt: `2026-01-0${day}T00:00:00.000Z` }) as FileEntry
const files = [file("first", 1), file("second", 3), file("third", 5)]
const since = "2026-01-04T00:00:00.000Z"
const getIds = (wanted: Omit<NewFiles, "taken">, taken: string[] = []) =>
  pickQuestionFiles(files, { ...wanted, taken: new Set(taken) }).map(({ fileId }) => fileId)

// Catches an edited question that loses its images, or that includes those of later questions.
test("includes new files, and in an edited question also its previous files", () => {
  expect(getIds({ since: undefined, own: [] })).toEqual(["first", "second", "third"])
  expect(getIds({ since, own: [] })).toEqual(["third"])
  expect(getIds({ since, own: ["first"] })).toEqual(["first", "third"])
})

// Catches a second question that includes the files of a queued one.
test("includes no file of another question unless the question itself already had it", () => {
  expect(getIds({ since: undefined, own: [] }, ["first", "third"])).toEqual(["second"])
  expect(getIds({ since, own: ["first"] }, ["first", "third"])).toEqual(["first"])
})

// Catches a file that is shown twice until its upload is answered, and other files that disappear until then.
test("leaves out only the file that is still shown as an upload", () => {
  const listed = [
    { name: "perch\u00E9.pdf", size: 3, createdAt: "2026-01-01T00:00:00.000Z" },
    { name: "perch\u00E9 (2).pdf", size: 3, createdAt: "2026-01-02T00:00:00.000Z" },
    { name: "notes.md", size: 3, createdAt: "2026-01-03T00:00:00.000Z" },
  ]
  const upload = {
    id: 1,
    file: new File(["abc"], "perche\u0301.pdf"),
    failure: undefined,
    projectId: undefined,
  }
  const names = (uploads: Upload[]) => withoutUpload(listed, uploads).map(({ name }) => name)
  expect(names([upload])).toEqual(["perch\u00E9.pdf", "notes.md"])
  expect(names([upload, { ...upload, id: 2 }])).toEqual(["perch\u00E9.pdf", "notes.md"])
  expect(names([{ ...upload, failure: "It is a program." }])).toHaveLength(3)
  expect(names([{ ...upload, file: new File(["abcd"], "perche\u0301.pdf") }])).toHaveLength(3)
  expect(names([])).toHaveLength(3)
})
