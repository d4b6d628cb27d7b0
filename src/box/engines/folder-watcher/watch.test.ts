import { existsSync } from "node:fs"
import { appendFile, mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { managedRules, type IgnoreRules } from "./scan.ts"
import { watchDirectory, type DirectoryWatch } from "./watch.ts"

let base: string
let root: string
let watch: DirectoryWatch | undefined
let seen: Set<string>
let check: () => void
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "casella-watch-")))
  root = join(base, "documents")
  await mkdir(root)
  seen = new Set()
  check = () => undefined
})
afterEach(async () => {
  watch?.close()
  await rm(base, { recursive: true, force: true })
})

async function begin(rules: IgnoreRules = managedRules): Promise<void> {
  const onChange = (path: string) => {
    seen.add(path)
    check()
  }
  const onError = (error: unknown) => expect.fail(String(error))
  watch = await watchDirectory({ root, rules, onChange, onError, signal: new AbortController().signal })
}

/** Settles after a change was reported for this path, or for a directory above it. */
function nextChange(path: string): Promise<void> {
  const names = path.split("/")
  const above = names.map((_, depth) => names.slice(0, depth + 1).join("/")).concat("")
  return new Promise((resolve) => {
    check = () => above.some((one) => seen.has(one)) && resolve()
    check()
  })
}

// Catches files that appear in a new directory before it is watched, and later changes to them.
test("reports the contents of new directories", async () => {
  await begin()
  await mkdir(join(root, "a", "b", "c"), { recursive: true })
  await writeFile(join(root, "a", "b", "c", "deep.txt"), "deep")
  await nextChange("a/b/c/deep.txt")
  seen.clear()
  await writeFile(join(root, "a", "b", "c", "later.txt"), "later")
  await nextChange("a/b/c/later.txt")
})

// Catches a directory that is lost when it moves, and one that replaces another.
test("continues after directories have moved", async () => {
  await mkdir(join(root, "old", "inner"), { recursive: true })
  await mkdir(join(root, "other", "inner"), { recursive: true })
  await begin()
  await rename(join(root, "old"), join(root, "new"))
  await nextChange("new")
  await rename(join(root, "other"), join(root, "old"))
  await nextChange("old")
  for (const path of ["new/inner/one.txt", "old/inner/two.txt"]) {
    for (let round = 0; round < 2; round++) {
      seen.clear()
      await appendFile(join(root, path), "more")
      await nextChange(path)
    }
  }
})

// Catches a watch that stays with a moved directory while another directory has replaced it.
test("continues when another directory replaces the root", async () => {
  await begin()
  await rename(root, join(base, "away"))
  await mkdir(root)
  await nextChange("")
  seen.clear()
  await writeFile(join(root, "one.txt"), "one")
  await nextChange("one.txt")
})

// Catches a watch on a box's data, which changes constantly.
test("doesn't watch directories that contain a sign", async () => {
  await mkdir(join(root, "a", "data"), { recursive: true })
  await writeFile(join(root, "a", "sign"), "")
  await begin({ ...managedRules, isExcludedDirectory: (directory) => existsSync(join(directory, "sign")) })
  await writeFile(join(root, "a", "data", "journal"), "changed")
  await writeFile(join(root, "last.txt"), "last")
  await nextChange("last.txt")
  expect([...seen]).toEqual(["last.txt"])
})

// Catches watches on outside items, and on ignored directories that may be huge.
test("neither follows links nor watches ignored directories", async () => {
  await mkdir(join(base, "outside"))
  await mkdir(join(root, "node_modules"))
  await symlink(join(base, "outside"), join(root, "link"))
  await begin({ ...managedRules, ignores: (path) => path.split("/").includes("node_modules") })
  await writeFile(join(base, "outside", "secret.txt"), "secret")
  await writeFile(join(root, "node_modules", "index.js"), "code")
  await writeFile(join(root, "last.txt"), "last")
  await nextChange("last.txt")
  expect([...seen]).toEqual(["last.txt"])
})
