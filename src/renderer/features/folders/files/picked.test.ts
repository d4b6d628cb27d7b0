import { expect, test } from "vitest"
import type { FileEntry } from "../../../../shared/contract/files.ts"
import { maxPicked, pick, rowsBetween, stillPicked } from "./PickedBar.tsx"

const getFile = (id: string, more: Partial<FileEntry> = {}): FileEntry => ({
  id,
  name: `${id}.txt`,
  folder: "",
  relativePath: `folder/${id}.txt`,
  size: 1,
  status: "queued",
  phase: "queued",
  progress: 0,
  error: null,
  note: null,
  storage: "local",
  attempts: 0,
  date: "2026-01-01T00:00:00.000Z",
  dateFrom: "file",
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:00.000Z",
  ...more,
})

// Catches a selection too large to be deleted file by file, and a limit that prevents deselecting.
test("limits the number of selected files, and deselects any of them", () => {
  const many = Array.from({ length: maxPicked + 5 }, (_, index) => getFile(`${index}`))
  const picked = pick(new Map(), many, true)
  expect(picked.size).toBe(maxPicked)
  expect(pick(picked, many.slice(0, 3), false).size).toBe(maxPicked - 3)
})

// Catches a selected file that is already being deleted, and one that keeps an outdated status.
test("returns selected files with their status in the list", () => {
  const picked = pick(new Map(), [getFile("a"), getFile("b")], true)
  const now = stillPicked(picked, [getFile("a", { status: "completed" }), getFile("c")], new Set(["b"]))
  expect(now.map(({ id, status }) => [id, status])).toEqual([["a", "completed"]])
})

// Catches a range that is only selected downwards.
test("selects ranges in both directions", () => expect(rowsBetween(5, 2)).toEqual({ first: 2, last: 5 }))
