import { expect, test } from "vitest"
import type { FileEntry } from "../../../../shared/contract/files.ts"
import { filesOfQuestion } from "./new-files.ts"

const file = (id: string, day: number) =>
  ({ id, name: `${id}.png`, createdAt: `2026-01-0${day}T00:00:00.000Z` }) as FileEntry
const files = [file("first", 1), file("second", 3), file("third", 5)]
const since = "2026-01-04T00:00:00.000Z"
const idsOf = (wanted: Parameters<typeof filesOfQuestion>[1]) =>
  filesOfQuestion(files, wanted).map(({ fileId }) => fileId)

// Catches a question asked differently that loses its pictures, or takes those of later questions.
test("a question takes what is new, and asked differently also what it had", () => {
  expect(idsOf({ since: undefined, own: [] })).toEqual(["first", "second", "third"])
  expect(idsOf({ since, own: [] })).toEqual(["third"])
  expect(idsOf({ since, own: ["first"] })).toEqual(["first", "third"])
})
