import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { createTrash, type NewlyTrashedFile, type Trash } from "./trash.ts"

let base: string
let file: string
let trash: Trash
let kept: NewlyTrashedFile
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "casella-trash-"))
  file = join(base, "mine.md")
  trash = createTrash(join(base, "trash"))
  await writeFile(file, "mine")
  kept = await trash.keep(file)
  await rm(file)
})
afterEach(() => rm(base, { recursive: true, force: true }))

const inTrash = async () =>
  (await readdir(join(base, "trash"), { recursive: true })).filter((name) => name.endsWith("mine.md"))

// Catches a deletion that is refused in the end after its only copy was removed from the trash.
test("keeps a file that may have to be put back when the trash is emptied", async () => {
  await trash.empty()
  await kept.putBack()
  expect(await readFile(file, "utf8")).toBe("mine")
  expect(await inTrash()).toEqual([])
})

/** Moves more files to the trash and releases them. */
async function trashMore(count: number): Promise<string[]> {
  const ids: string[] = []
  for (let left = count; left > 0; left--) {
    await writeFile(file, "mine")
    using more = await trash.keep(file)
    ids.push(more.id)
  }
  return ids
}

// Catches a row of a restored backup whose ID leads out of the trash, to a directory that is then deleted.
test("finds nothing for an ID that leads out of the trash", async () => {
  await mkdir(join(base, "victim"))
  await writeFile(join(base, "victim", "mine.md"), "mine")
  expect(await trash.find("../../victim")).toBeNull()
  expect(await trash.find(`x/../../../victim`)).toBeNull()
})

// Catches other users' files that are deleted with the user's own.
test("deletes only the selected files", async () => {
  const [mine = "", others = ""] = await trashMore(2)
  await trash.empty((all) => all.filter((id) => id === mine))
  expect(await trash.find(mine)).toBeNull()
  expect((await trash.find(others))?.id).toBe(others)
})

// Catches a file that is found for restoring while its bytes are already being deleted.
test("keeps a found file until it is released, however often the trash is emptied", async () => {
  const ids = await trashMore(50)
  const ended = new AbortController()
  const emptied = trash.empty().finally(() => ended.abort())
  while (!ended.signal.aborted)
    for (const id of ids) {
      using found = await trash.find(id)
      if (found) expect(await readFile(found.path, "utf8")).toBe("mine")
    }
  await emptied
})

// Catches the only copy of a file that is being moved: what needs it is stored, and it is released, after the trash looked for what is needed.
test("keeps a file that is released while the trash chooses what to delete", async () => {
  const [other] = await trashMore(1)
  const asked: string[] = []
  await trash.empty((all) => {
    asked.push(...all)
    kept[Symbol.dispose]()
    return all
  })
  expect(asked).toEqual([other])
  // The next time it is a file like any other.
  await trash.empty((all) => {
    expect(all).toEqual([kept.id])
    return []
  })
})

// Catches bytes that stay in the trash permanently.
test("deletes a released file when the trash is emptied", async () => {
  kept[Symbol.dispose]()
  await trash.empty()
  expect(await inTrash()).toEqual([])
})

// Catches a newer file that is overwritten when an older one is put back.
test("doesn't put a file back over another file", async () => {
  await writeFile(file, "saved since")
  await kept.putBack()
  expect(await readFile(file, "utf8")).toBe("saved since")
  expect(await inTrash()).toHaveLength(1)
})

// Catches a deletion of another directory's trash, which is kept for 30 days, because it is at the data directory's previous location.
test("deletes nothing from a trash that doesn't belong to the box any more", async () => {
  let isInPlace = false
  const moved = createTrash(join(base, "trash"), undefined, () => isInPlace)
  kept[Symbol.dispose]()
  const inTwoMonths = Date.now() + 60 * 24 * 3_600_000
  expect(await moved.purge(inTwoMonths)).toBe(0)
  expect(await inTrash()).toHaveLength(1)
  isInPlace = true
  expect(await moved.purge(inTwoMonths)).toBe(1)
})
