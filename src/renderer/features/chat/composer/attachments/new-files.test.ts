import { expect, test } from "vitest"
import type { FileEntry } from "../../../../../shared/contract/files.ts"
import { pickQuestionFiles, isUploading, type NewFiles } from "./new-files.ts"

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

// Catches a file that is shown twice until its upload is answered.
test("a file that is still shown as an upload isn't listed", () => {
  const upload = { id: 1, file: new File(["abc"], "image.png"), failure: undefined, projectId: undefined }
  expect(isUploading({ name: "image.png", size: 3 }, [upload])).toBe(true)
  expect(isUploading({ name: "image (2).png", size: 3 }, [upload])).toBe(true)
  expect(isUploading({ name: "image.png", size: 4 }, [upload])).toBe(false)
  expect(isUploading({ name: "notes.md", size: 3 }, [upload])).toBe(false)
  expect(isUploading({ name: "image.png", size: 3 }, [{ ...upload, failure: "It is a program." }])).toBe(
    false,
  )
})
