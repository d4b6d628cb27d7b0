import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { loadIgnoreRules, managedRules, isPlaceholder, scan } from "./scan.ts"

let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "casella-scan-"))
  for (const directory of ["a/b", ".hidden", "node_modules/x"])
    await mkdir(join(root, directory), { recursive: true })
  for (const path of [
    "top.txt",
    "a/one.txt",
    "a/b/two.txt",
    ".hidden/h.txt",
    "node_modules/x/y.js",
    "a/draft.tmp",
  ]) {
    await writeFile(join(root, path), path)
  }
  await symlink(join(root, "a"), join(root, "loop"))
  await symlink("..", join(root, "a", "b", "up"))
})
afterAll(() => rm(root, { recursive: true, force: true }))

const never = new AbortController().signal
const found = async (start: string, rules = managedRules) =>
  [...(await scan(root, start, rules, never)).files.keys()].sort()

// Catches endless loops through links, files found through a link, and rules that apply only to some starting paths.
test("finds files at and below a path, but never through links", async () => {
  const rules = await loadIgnoreRules(root)
  expect(await found("", rules)).toEqual(["a/b/two.txt", "a/one.txt", "top.txt"])
  expect(await found("")).toHaveLength(6)
  expect(await found("a/b", rules)).toEqual(["a/b/two.txt"])
  expect(await found("a/one.txt", rules)).toEqual(["a/one.txt"])
  for (const nothing of [
    "loop",
    "loop/one.txt",
    "a/b/up",
    "missing",
    "top.txt/x",
    ".hidden/h.txt",
    "node_modules/x/y.js",
  ]) {
    expect(await found(nothing, rules), nothing).toEqual([])
  }
})

// Catches an index that is emptied because its drive was unplugged, and scans that can't be cancelled.
test("fails if the root is missing or the scan is cancelled", async () => {
  await expect(scan(join(root, "missing"), "", managedRules, never)).rejects.toMatchObject({ code: "ENOENT" })
  await expect(scan(root, "", managedRules, AbortSignal.abort(new Error("enough")))).rejects.toThrow("enough")
})

// Catches user rules that can't override a default.
test("applies .casellaignore in addition to the defaults, and lets it override them", async () => {
  await writeFile(join(root, ".casellaignore"), "# drafts\n/a/one.txt\n!*.tmp\n!.hidden\n")
  expect(await found("", await loadIgnoreRules(root))).toEqual([
    ".hidden/h.txt",
    "a/b/two.txt",
    "a/draft.tmp",
    "top.txt",
  ])
  await rm(join(root, ".casellaignore"))
})

// Catches small files, or any files on Linux, that are mistaken for placeholders of a cloud drive.
test("recognises a cloud drive's placeholder by its size without blocks", () => {
  expect(isPlaceholder({ size: 50_000n, blocks: 0n }, "darwin")).toBe(true)
  expect(isPlaceholder({ size: 50_000n, blocks: 0n }, "win32")).toBe(true)
  expect(isPlaceholder({ size: 50_000n, blocks: 104n }, "darwin")).toBe(false)
  expect(isPlaceholder({ size: 300n, blocks: 0n }, "win32")).toBe(false)
  expect(isPlaceholder({ size: 50_000n, blocks: 0n }, "linux")).toBe(false)
})

// Catches secrets that become searchable because a data directory was moved into a watched one.
test("finds nothing in a box's data, but everything in a directory that the box created", async () => {
  const data = join(root, "a", "moved")
  await mkdir(join(data, "folders"), { recursive: true })
  for (const name of ["secrets.json", join("folders", "own.txt")]) await writeFile(join(data, name), name)
  const rules = await loadIgnoreRules(root)
  for (const sign of ["casella.sqlite", "casella.json"]) {
    await writeFile(join(data, sign), "")
    for (const start of ["", "a", "a/moved", "a/moved/secrets.json", "a/moved/folders"])
      expect((await found(start, rules)).filter((path) => path.startsWith("a/moved"))).toEqual([])
    expect(await found("a/moved")).toEqual(
      [`a/moved/${sign}`, "a/moved/folders/own.txt", "a/moved/secrets.json"].sort(),
    )
    await rm(join(data, sign))
  }
  expect(await found("a/moved/secrets.json", rules)).toEqual(["a/moved/secrets.json"])
  await rm(data, { recursive: true })
})

// Catches documents that disappear because a file among them has the name of a box's file, such as a rescued database.
test("finds documents next to a file that only has the name of a box's file", async () => {
  const rules = await loadIgnoreRules(root)
  for (const sign of ["casella.sqlite", "casella.json"]) {
    const path = join(root, "a", sign)
    await writeFile(path, "{}")
    expect(await found("a", rules)).toContain("a/b/two.txt")
    await rm(path)
  }
  const marker = { format: 1, id: "m", place: root, hasDatabase: true }
  await writeFile(join(root, "a", "casella.json"), JSON.stringify(marker))
  expect(await found("a", rules)).toEqual([])
  await rm(join(root, "a", "casella.json"))
})
