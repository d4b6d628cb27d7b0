import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { loadIgnoreRules } from "../../engines/folder-watcher/scan.ts"
import { readSmallFile, readSmallFileNow } from "./file-contents.ts"

let directory: string
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), "casella-small-"))))
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const both = async (path: string) => [readSmallFileNow(path), await readSmallFile(path)]

// Catches gigabytes that are read as a small file, and a directory that makes the start fail.
it("reads only files, and no large ones", async () => {
  const path = join(directory, "file")
  writeFileSync(path, "text")
  expect(await both(path)).toEqual(["text", "text"])
  truncateSync(path, 2 ** 33)
  expect(await both(path)).toEqual(["", ""])
  expect(await both(directory)).toEqual(["", ""])
  expect(() => readSmallFileNow(join(directory, "missing"))).toThrow("ENOENT")
  await expect(readSmallFile(join(directory, "missing"))).rejects.toThrow("ENOENT")
})

// Catches a named pipe in a user's directory that blocks the threads which all other files need.
it("doesn't wait for a writer of a named pipe", { tags: "unix" }, async () => {
  const path = join(directory, ".casellaignore")
  execFileSync("mkfifo", [path])
  expect(await both(path)).toEqual(["", ""])
  expect((await loadIgnoreRules(directory)).ignores("a.txt", "file")).toBe(false)
})
