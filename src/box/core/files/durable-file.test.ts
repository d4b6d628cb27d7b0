import { lstat, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { linkOrCopy, moveToFreeName } from "./durable-file.ts"

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

  // Catches another name that costs the file which has it, the source of one that isn't given, and a source that stays.
  test("a name that is given isn't taken from another file", async () => {
    const [source, target] = [join(here, "source"), join(directory(), "target")]
    await moveToFreeName(source, target)
    await writeFile(source, "other")
    await expect(moveToFreeName(source, target)).rejects.toMatchObject({ code: "EEXIST" })
    expect([await readFile(source, "utf8"), await readFile(target, "utf8")]).toEqual(["other", "new"])
    await rm(target)
    await moveToFreeName(source, target)
    expect(await readdir(directory())).toEqual(["target"])
    expect((await readdir(here)).filter((name) => name !== "target")).toEqual([])
  })
})
