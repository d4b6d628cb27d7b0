import { lstat, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { linkOrCopy, replaceDurably } from "./durable-file.ts"

const memory = "/dev/shm"
const elsewhere = await lstat(memory).then(
  async (found) => found.dev !== (await lstat(tmpdir())).dev,
  () => false,
)

let here: string
let there: string
beforeEach(async () => {
  here = await mkdtemp(join(tmpdir(), "casella-durable-"))
  there = await mkdtemp(join(elsewhere ? memory : tmpdir(), "casella-durable-"))
  await writeFile(join(here, "source"), "new")
})
afterEach(async () => {
  for (const directory of [here, there]) await rm(directory, { recursive: true, force: true })
})

const places: [string, () => string][] = [["in the same directory", () => here]]
// A drive of another file system, where names can't be linked and files can't be renamed.
if (elsewhere) places.push(["on another file system", () => there])

describe.for(places)("%s", ([, directory]) => {
  // Catches a file that replaces another one, and half files left beside it.
  test("a second name never replaces a file", async () => {
    const target = join(directory(), "target")
    await linkOrCopy(join(here, "source"), target)
    expect(await readFile(target, "utf8")).toBe("new")
    await writeFile(join(here, "other"), "other")
    await expect(linkOrCopy(join(here, "other"), target)).rejects.toMatchObject({ code: "EEXIST" })
    expect(await readFile(target, "utf8")).toBe("new")
    expect((await readdir(directory())).filter((name) => name.startsWith("."))).toEqual([])
  })

  // Catches a replacement that leaves the source, the old bytes or a half file.
  test("a replacement takes the place of a file whole", async () => {
    const target = join(directory(), "target")
    await writeFile(target, "old and longer")
    await replaceDurably(join(here, "source"), target)
    expect(await readFile(target, "utf8")).toBe("new")
    expect((await readdir(here)).filter((name) => name !== "target")).toEqual([])
    expect(await readdir(directory())).toEqual(["target"])
  })
})
