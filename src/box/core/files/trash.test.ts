import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { createTrash, type Kept, type Trash } from "./trash.ts"

let base: string
let file: string
let trash: Trash
let kept: Kept
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

// Would catch: a deletion that is refused in the end, whose only copy was in a trash that somebody emptied meanwhile.
test("what may have to be put back stays in a trash that is emptied", async () => {
  await trash.empty()
  await kept.putBack()
  expect(await readFile(file, "utf8")).toBe("mine")
  expect(await inTrash()).toEqual([])
})

/** Keeps some more files, which nobody holds any more. */
async function keepMore(count: number): Promise<string[]> {
  const ids: string[] = []
  for (let left = count; left > 0; left--) {
    await writeFile(file, "mine")
    using more = await trash.keep(file)
    ids.push(more.id)
  }
  return ids
}

// Would catch: a row of a restored backup whose id leads out of the trash, to a directory that is then deleted.
test("an id that leads out of the trash finds nothing", async () => {
  await mkdir(join(base, "victim"))
  await writeFile(join(base, "victim", "mine.md"), "mine")
  expect(await trash.find("../../victim")).toBeNull()
  expect(await trash.find(`x/../../../victim`)).toBeNull()
})

// Would catch: others' files that go with one's own.
test("only what is meant goes", async () => {
  const [mine = "", others = ""] = await keepMore(2)
  await trash.empty((id) => id === mine)
  expect(await trash.find(mine)).toBeNull()
  expect((await trash.find(others))?.id).toBe(others)
})

// Would catch: a file that is found to be put back while its bytes are already on their way out.
test("what is found is there until it is let go, however often the trash is emptied", async () => {
  const ids = await keepMore(50)
  const ended = new AbortController()
  const emptied = trash.empty().finally(() => ended.abort())
  while (!ended.signal.aborted)
    for (const id of ids) {
      using found = await trash.find(id)
      if (found) expect(await readFile(found.path, "utf8")).toBe("mine")
    }
  await emptied
})

// Would catch: bytes in the trash for good.
test("what is settled goes when the trash is emptied", async () => {
  kept[Symbol.dispose]()
  await trash.empty()
  expect(await inTrash()).toEqual([])
})

// Would catch: what somebody has saved since, overwritten by what is put back.
test("nothing is put back over another file", async () => {
  await writeFile(file, "saved since")
  await kept.putBack()
  expect(await readFile(file, "utf8")).toBe("saved since")
  expect(await inTrash()).toHaveLength(1)
})

// Would catch: what another directory keeps for 30 days, deleted because it lies where the data directory lay.
test("nothing goes from a trash that isn't the box's own any more", async () => {
  let isKept = false
  const moved = createTrash(join(base, "trash"), undefined, () => isKept)
  kept[Symbol.dispose]()
  const inTwoMonths = Date.now() + 60 * 24 * 3_600_000
  expect(await moved.purge(inTwoMonths)).toBe(0)
  expect(await inTrash()).toHaveLength(1)
  isKept = true
  expect(await moved.purge(inTwoMonths)).toBe(1)
})
