import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { createKeyedLock } from "../../../core/waiting/locks.ts"
import { getPath, newFileRow, type FileRow } from "../file-entry.ts"
import { countMissing } from "./missing-files.ts"

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "casella-missing-"))
})
afterEach(() => rm(root, { recursive: true, force: true }))

const row = (path: string): FileRow =>
  newFileRow("folder", { path, identity: path, size: 1, modifiedMs: 0, changedMs: null, storage: "local" }, 0)

/** Counts the missing files of a folder on whose directory `usb` a drive was mounted, and which has four other files. */
function count(rows: readonly FileRow[], vanished: readonly FileRow[]): Promise<number> {
  const deps = {
    store: {
      findByIds: async (ids: readonly string[]) => rows.filter(({ id }) => ids.includes(id)),
      count: async () => rows.length + 4,
      under: async (_: string, path: string) => rows.filter((each) => getPath(each).startsWith(`${path}/`)),
    },
    mounts: { of: async () => new Map([["usb", "device of the drive"]]) },
    lock: createKeyedLock(),
  }
  const options = { accepted: 0, mounted: new Map<string, string>(), removedLately: 0 }
  return countMissing(deps, { id: "folder", path: root, managed: false }, vanished, {
    ...options,
    state: "trusted",
  })
}

// Catches a file that is treated as deleted because its drive was removed after the scan had found the drive's other files.
test("a file counts as missing if its drive was removed during the scan", async () => {
  const rows = [row("usb/a.txt"), row("usb/letters/b.txt")]
  expect(await count(rows, rows.slice(1))).toBe(1)
})

// Catches a deleted file that is reported as missing for good after a drive's files were copied into its mount point.
test("a file was deleted if the drive's other files are in its place", async () => {
  const rows = [row("usb/a.txt"), row("usb/letters/b.txt")]
  await mkdir(join(root, "usb"))
  await writeFile(join(root, "usb/a.txt"), "copied")
  expect(await count(rows, rows.slice(1))).toBe(0)
})

// Catches files whose names can't be looked up on the disk, which make a deletion look like a missing drive.
test("a file with a name that is only shown doesn't count as missing", async () => {
  const shown = ["a", "b", "c"].map((name) => row(`usb/\uFFFDE8${name}.txt`))
  const rows = [...shown, row("usb/d.txt"), row("usb/e.txt")]
  await mkdir(join(root, "usb"))
  await writeFile(join(root, "usb/d.txt"), "text")
  expect(await count(rows, rows.slice(4))).toBe(0)
})
