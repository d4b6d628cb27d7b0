import { expect, test } from "vitest"
import type { FileEntry } from "../../../../../shared/contract/files.ts"
import { filesOfQuestion, type NewFiles } from "./new-files.ts"

const file = (id: string, day: number) =>
  ({ id, name: `${id}.png`, createdAt: `2026-01-0${day}T00:00:00.000Z` }) as FileEntry
const files = [file("first", 1), file("second", 3), file("third", 5)]
const since = "2026-01-04T00:00:00.000Z"
const idsOf = (wanted: Omit<NewFiles, "taken">, taken: string[] = []) =>
  filesOfQuestion(files, { ...wanted, taken: new Set(taken) }).map(({ fileId }) => fileId)

// Catches a question asked differently that loses its pictures, or takes those of later questions.
test("a question takes what is new, and asked differently also what it had", () => {
  expect(idsOf({ since: undefined, own: [] })).toEqual(["first", "second", "third"])
  expect(idsOf({ since, own: [] })).toEqual(["third"])
  expect(idsOf({ since, own: ["first"] })).toEqual(["first", "third"])
})

// Catches a second question that takes the files of one that still waits.
test("a question takes no file of another one, but when it had it itself", () => {
  expect(idsOf({ since: undefined, own: [] }, ["first", "third"])).toEqual(["second"])
  expect(idsOf({ since, own: ["first"] }, ["first", "third"])).toEqual(["first"])
})
