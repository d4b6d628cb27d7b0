import { rmSync } from "node:fs"
import { chmod, chown, mkdir, mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { reservePath } from "../core/data-layout.ts"
import { createClient } from "../../shared/client/http-client.ts"
import { runCommand, runCommandAs, startBoxProcessAs } from "../testing/box-process.ts"
import { mountSmallDisk } from "../testing/disk.ts"
import { startTestBox } from "../testing/test-box.ts"

const disk = await mountSmallDisk("64m,nr_inodes=300")
const dataDir = join(disk.path, "data")
const otherDirectory = await mkdtemp(join(tmpdir(), "casella-elsewhere-"))
const saved = join(otherDirectory, "saved.tgz")
/** The system's own error codes. */
const errno = /\bE[A-Z]{3,}\b|SQLITE_/
const commandsMs = 300_000 // each command is a separate process

afterAll(async () => {
  await disk[Symbol.asyncDispose]()
  await rm(otherDirectory, { recursive: true })
})

const nobodyUid = 65_534
/** Root may do what others may not. */
const owner = process.getuid?.() === 0 ? nobodyUid : (process.getuid?.() ?? -1)

const commands = [
  ["keys", "create", "--name", "K"],
  ["users", "add", "ann@example.com", "--name", "Ann"],
  ["backup", join(disk.path, "backup.tgz")],
  ["restore", saved],
  ["salvage", join(disk.path, "salvaged")],
]

describe("Commands on a disk", { tags: "mount" }, () => {
  beforeAll(async () => {
    const box = await startTestBox({ dataDir })
    await box.client.folders.create({ body: { name: "Small" } })
    await box.box[Symbol.asyncDispose]()
    expect(await runCommand("backup", saved, "--data", dataDir)).toMatchObject({ code: 0 })
    await rm(reservePath(dataDir), { recursive: true, force: true })
  }, commandsMs)
  afterEach(() => {
    disk.setReadOnly(false)
    disk.makeRoom()
    rmSync(join(disk.path, "salvaged"), { recursive: true, force: true })
  })

  // Catches a stack trace instead of a sentence, and a false success.
  it.each(["without room", "without inodes", "that is read-only"] as const)(
    "%s end with one sentence",
    { timeout: commandsMs },
    async (state) => {
      if (state === "that is read-only") disk.setReadOnly(true)
      else disk.fill(state === "without room" ? "bytes" : "files")
      for (const command of commands) {
        const outcome = await runCommand(...command, "--data", dataDir)
        // some commands need no new file
        if (state === "without inodes" && outcome.code === 0) continue
        expect({ command, ...outcome }).toMatchObject({ code: 2, stdout: "" })
        expect(outcome.stderr).toMatch(
          /^[^\n]+(full|free disk space|read-only|further files|written)[^\n]+\.\n$/,
        )
        expect(outcome.stderr).not.toMatch(errno)
      }
    },
  )

  // Catches an error hidden by a failed clean-up, and a partial restore that remains.
  it(
    "that fills up while a backup is unpacked report it and leave nothing",
    { timeout: commandsMs },
    async () => {
      const many = join(otherDirectory, "many.tgz")
      const files = 60
      await using box = await startTestBox()
      const { vector } = await box.client.folders.create({ body: { name: "Many" } })
      const upload = (name: string) =>
        box.client.files.upload({ params: { id: vector.id }, file: new Blob([name]), fileName: name })
      await Promise.all(Array.from({ length: files }, (_, number) => upload(`${number}.txt`)))
      expect(await runCommand("backup", many, "--data", box.dataDir)).toMatchObject({ code: 0 })
      await using other = await mountSmallDisk(`600m,nr_inodes=${files}`)
      const target = join(other.path, "data")
      for (let attempt = 0; attempt < 3; attempt++) {
        const { code, stderr } = await runCommand("restore", many, "--data", target)
        expect({ code, stderr }).toMatchObject({
          code: 2,
          stderr: expect.stringMatching(/is full.*\.\n$/) as string,
        })
        expect(stderr).not.toMatch(errno)
        expect(
          (await readdir(target)).filter((name) => /^(uploads|restore|folders|casella\.sqlite)/.test(name)),
        ).toEqual([])
      }
    },
  )
})

// Catches a refused restore that the next start applies anyway or in part.
it(
  "where a restore can't move the existing data aside change nothing",
  { tags: "other-user", timeout: commandsMs },
  async () => {
    const root = await mkdtemp(join(tmpdir(), "casella-refused-"))
    await chown(root, owner, owner)
    const target = join(root, "data")
    const box = await startBoxProcessAs(owner, target)
    const client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.firstRunKey ?? "" } })
    await client.folders.create({ body: { name: "Kept" } })
    await box.stop()
    const backup = join(root, "saved.tgz")
    expect(await runCommandAs(owner, "backup", backup, "--data", target)).toMatchObject({ code: 0 })
    await mkdir(join(target, "trash"))
    await chown(join(target, "trash"), owner, owner)
    const before = await readdir(target)
    await chmod(join(target, "trash"), 0o500)
    const outcome = await runCommandAs(owner, "restore", backup, "--data", target)
    expect(outcome).toMatchObject({ code: 2, stdout: "" })
    expect(outcome.stderr).toContain(`${join(target, "trash")} can't be read and written`)
    const stays = (name: string) => !["index", "uploads"].includes(name)
    expect((await readdir(target)).filter(stays)).toEqual(before.filter(stays))
    await rm(root, { recursive: true })
  },
)
