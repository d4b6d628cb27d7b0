import { rmSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { reservePath } from "../core/data-layout.ts"
import { runCommand } from "../testing/box-process.ts"
import { mountSmallDisk } from "../testing/small-disk.ts"
import { startTestBox } from "../testing/test-box.ts"

const disk = await mountSmallDisk("64m,nr_inodes=300")
const dataDir = join(disk.path, "data")
const elsewhere = await mkdtemp(join(tmpdir(), "casella-elsewhere-"))
const saved = join(elsewhere, "saved.tgz")
const commandsMs = 300_000 // each command is a process of its own

beforeAll(async () => {
  if (!disk.mounted) return
  const box = await startTestBox({ dataDir })
  await box.client.folders.create({ body: { name: "Small" } })
  await box.box[Symbol.asyncDispose]()
  expect(await runCommand("backup", saved, "--data", dataDir)).toMatchObject({ code: 0 })
  await rm(reservePath(dataDir), { recursive: true, force: true })
}, commandsMs)
afterEach(() => {
  if (!disk.mounted) return
  disk.setReadOnly(false)
  disk.makeRoom()
  rmSync(join(disk.path, "salvaged"), { recursive: true, force: true })
})
afterAll(async () => {
  await disk[Symbol.asyncDispose]()
  await rm(elsewhere, { recursive: true })
})

const commands = [
  ["keys", "create", "--name", "K"],
  ["users", "add", "ann@example.com", "--name", "Ann"],
  ["backup", join(disk.path, "backup.tgz")],
  ["restore", saved],
  ["salvage", join(disk.path, "salvaged")],
]

// Needs the right to mount a file system: run as root to see it.
describe.skipIf(!disk.mounted)("Commands on a disk", () => {
  // Would catch: a stack trace where a sentence would help, and a success that is none.
  it.each(["without room", "without inodes", "that is read-only"] as const)(
    "%s end with one sentence",
    { timeout: commandsMs },
    async (state) => {
      if (state === "that is read-only") disk.setReadOnly(true)
      else disk.fill(state === "without room" ? "bytes" : "files")
      for (const command of commands) {
        const outcome = await runCommand(...command, "--data", dataDir)
        // some need no further file
        if (state === "without inodes" && outcome.code === 0) continue
        expect({ command, ...outcome }).toMatchObject({ code: 2, stdout: "" })
        expect(outcome.stderr).toMatch(
          /^[^\n]+(full|free disk space|read-only|further files|written)[^\n]+\.\n$/,
        )
      }
    },
  )
})
