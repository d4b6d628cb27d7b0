import { expect, test } from "vitest"
import type { FileEntry } from "../../../shared/contract/files.ts"
import { applyFileMessages } from "./files.ts"
import { queryClient } from "../query-client.ts"

const file = (id: string, part: Partial<FileEntry> = {}): FileEntry => ({
  id,
  name: id,
  folder: "",
  relativePath: `v/${id}`,
  size: 1,
  status: "processing",
  phase: "extracting",
  progress: 10,
  error: null,
  note: null,
  storage: "local",
  attempts: 1,
  date: "2026-01-01T00:00:00.000Z",
  dateFrom: "file",
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:00.000Z",
  ...part,
})
const pageKey = ["files", "v", { search: "", status: undefined }, 0]
const shown = () => queryClient.getQueryData<{ files: FileEntry[] }>(pageKey)?.files
const news = (entry: FileEntry) => ({ type: "file" as const, vectorId: "v", file: entry })

// Catches a list that is reloaded for every per cent of every file; with ten thousand files, that becomes the whole load.
test("writes the latest progress into the list without reloading it", () => {
  queryClient.setQueryData(pageKey, { total: 2, offset: 0, files: [file("a"), file("b")] })
  const again = applyFileMessages("v", [news(file("a", { progress: 50 })), news(file("a", { progress: 60 }))])
  expect(again).toBe(false)
  expect(shown()?.map(({ progress }) => progress)).toEqual([60, 10])
})

test("reloads the list when a file is new, deleted or finished", () => {
  queryClient.setQueryData(pageKey, { total: 1, offset: 0, files: [file("a")] })
  expect(applyFileMessages("v", [news(file("new"))])).toBe(true)
  expect(applyFileMessages("v", [{ type: "file.deleted", vectorId: "v", fileId: "a" }])).toBe(true)
  expect(applyFileMessages("v", [news(file("a", { status: "completed" }))])).toBe(true)
  expect(shown()?.[0]?.status).toBe("completed")
})

test("ignores news about another folder", () => {
  queryClient.setQueryData(pageKey, { total: 1, offset: 0, files: [file("a")] })
  applyFileMessages("w", [{ type: "file", vectorId: "w", file: file("a", { progress: 99 }) }])
  expect(shown()?.[0]?.progress).toBe(10)
})

// Catches a document that is open, or was a moment ago, and still shows its content from before it was fetched or replaced.
test("reloads a document that was indexed again, and no other", () => {
  for (const id of ["a", "b"]) queryClient.setQueryData(["file-text", "v", id], [])
  const isOld = (id: string) => queryClient.getQueryState(["file-text", "v", id])?.isInvalidated
  applyFileMessages("v", [news(file("a", { progress: 50 }))])
  expect(isOld("a")).toBe(false)
  applyFileMessages("v", [news(file("a", { status: "completed" }))])
  expect([isOld("a"), isOld("b")]).toEqual([true, false])
})
