import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { create } from "tar"
import { afterEach, beforeEach, expect, it } from "vitest"
import { verifyArchive } from "./write-backup.ts"

let directory: string
let file: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "casella-archive-"))
  file = join(directory, "backup.tgz")
  await mkdir(join(directory, "folders"))
  await writeFile(join(directory, "casella.sqlite"), "x".repeat(5_000))
  await writeFile(join(directory, "folders", "a.txt"), "heron ".repeat(20_000))
  await create({ file, cwd: directory, gzip: true, portable: true }, ["casella.sqlite", "folders"])
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const whole = { files: 2, bytes: 125_000 }

it("accepts a complete archive", () => verifyArchive(file, whole))

// Catches a backup that only has the name of a complete one.
it("refuses an archive that was cut or changed, or that lacks something", async () => {
  const { size } = await stat(file)
  const bytes = await readFile(file)
  for (const at of [20, Math.floor(size / 2), size - 6]) {
    const changed = Buffer.from(bytes)
    changed[at] = (changed[at] ?? 0) ^ 0xff
    await writeFile(file, changed)
    await expect(verifyArchive(file, whole)).rejects.toThrow()
    await writeFile(file, bytes.subarray(0, at))
    await expect(verifyArchive(file, whole)).rejects.toThrow()
  }
  await writeFile(file, bytes)
  await expect(verifyArchive(file, { ...whole, files: 3 })).rejects.toThrow("in place of 3")
})

// Catches a backup that a restore refuses because of its contents.
it("refuses an archive that a restore would refuse", async () => {
  await writeFile(join(directory, "other.txt"), "x")
  await create({ file, cwd: directory, gzip: true }, ["casella.sqlite", "other.txt"])
  await expect(verifyArchive(file, { files: 2, bytes: 5_001 })).rejects.toThrow("other.txt")
})
