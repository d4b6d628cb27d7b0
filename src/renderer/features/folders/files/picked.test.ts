import { expect, test } from "vitest"
import type { FileEntry } from "../../../../shared/contract/files.ts"
import { mostPicked, pick, rowsBetween, stillPicked } from "./picked.ts"

const fileOf = (id: string, more: Partial<FileEntry> = {}): FileEntry => ({
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
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:00.000Z",
  ...more,
})

// Would catch more files than can be deleted one by one, and a bound that keeps picked ones from being let go.
test("no more than the most are picked, and any can be let go", () => {
  const many = Array.from({ length: mostPicked + 5 }, (_, index) => fileOf(`${index}`))
  const picked = pick(new Map(), many, true)
  expect(picked.size).toBe(mostPicked)
  expect(pick(picked, many.slice(0, 3), false).size).toBe(mostPicked - 3)
})

// Would catch a file that is asked about though it is being deleted, and one that stays unindexed for the bar.
test("what is picked is told as the list shows it", () => {
  const picked = pick(new Map(), [fileOf("a"), fileOf("b")], true)
  const now = stillPicked(picked, [fileOf("a", { status: "completed" }), fileOf("c")], new Set(["b"]))
  expect(now.map(({ id, status }) => [id, status])).toEqual([["a", "completed"]])
})

// Would catch a range that is only picked downwards.
test("a range goes both ways", () => expect(rowsBetween(5, 2)).toEqual({ first: 2, last: 5 }))
