import { lstat, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { linkOrCopy, moveToFreeName } from "./durable-file.ts"

const memory = "/dev/shm"
const hasOtherFileSystem = await lstat(memory).then(
  async (found) => found.dev !== (await lstat(tmpdir())).dev,
  () => false,
)

let here: string
let otherDirectory: string
beforeEach(async () => {
  here = await mkdtemp(join(tmpdir(), "casella-durable-"))
  otherDirectory = await mkdtemp(join(hasOtherFileSystem ? memory : tmpdir(), "casella-durable-"))
  await writeFile(join(here, "source"), "new")
})
afterEach(async () => {
  for (const directory of [here, otherDirectory]) await rm(directory, { recursive: true, force: true })
})

const directories: [string, () => string][] = [["in the same directory", () => here]]
// A drive with another file system, where files can't be linked or renamed to.
if (hasOtherFileSystem) directories.push(["on another file system", () => otherDirectory])

describe.for(directories)("%s", ([, directory]) => {
  // Catches a file that replaces another one, and partial files left next to it.
  test("never replaces a file with a second name", async () => {
    const target = join(directory(), "target")
    await linkOrCopy(join(here, "source"), target)
    expect(await readFile(target, "utf8")).toBe("new")
    await writeFile(join(here, "other"), "other")
    await expect(linkOrCopy(join(here, "other"), target)).rejects.toMatchObject({ code: "EEXIST" })
    expect(await readFile(target, "utf8")).toBe("new")
    expect((await readdir(directory())).filter((name) => name.startsWith("."))).toEqual([])
  })

  // Catches a rename that overwrites an existing file, a failed rename that loses its source, and a source that remains.
  test("doesn't rename a file to an existing name", async () => {
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
