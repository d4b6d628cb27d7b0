import { openSqlite } from "../../../core/database/sqlite/open-sqlite.ts"
import { execFileSync } from "node:child_process"
import { mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { backedUpDirectories } from "../../../core/data-layout.ts"
import { createBoxValues } from "../../../core/database/box-values.ts"
import type { OpenDatabase } from "../../../core/database/database.ts"
import { silentLogger } from "../../../core/logging/logger.ts"
import { writeBackup } from "../write-backup.ts"
import { createPlannedBackups, type PlannedBackupsDeps } from "./planned-backups.ts"
import { waitFor } from "../../../../shared/testing/wait-for.ts"

let directory: string
let target: string
let database: OpenDatabase
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "casella-planned-"))
  target = join(directory, "backups")
  await mkdir(target)
  database = openSqlite(join(directory, "box.sqlite"))
  vi.useFakeTimers({ toFake: ["Date", "setInterval", "clearInterval"], now: new Date("2026-03-04T20:00:00") })
})
afterEach(async () => {
  vi.useRealTimers()
  await database[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

const dayMs = 24 * 3_600_000
const names = async () => (await readdir(target)).toSorted()

async function open(
  dataDirectoryId = "data",
  write: PlannedBackupsDeps["write"] = (path) => writeFile(path, "archive"),
) {
  const planned = createPlannedBackups({
    values: createBoxValues(database.db),
    dataDirectoryId,
    write,
    failed: () => Promise.resolve(),
    logger: silentLogger,
  })
  await planned.start()
  /** Lets a day pass, and waits until due backups have ended. */
  async function pass() {
    await vi.advanceTimersByTimeAsync(dayMs)
    await waitFor(async () => {
      const { running, nextAt } = await planned.state()
      expect(running).toBe(false)
      expect(Date.parse(nextAt ?? "")).toBeGreaterThan(Date.now())
    })
  }
  const plan = () => planned.plan({ every: "day", weekday: 1, at: "21:30", directory: target, keep: 1 })
  return { planned, plan, pass }
}

// Catches the copy of a data directory, made to try something, that removes the original's backups.
it("a copied data directory has no plan and removes none of the original's backups", async () => {
  const original = await open()
  await original.plan()
  await original.pass()
  await original.planned[Symbol.asyncDispose]()
  const made = await names()
  expect(made).toHaveLength(1)
  const copy = await open("copy")
  expect((await copy.planned.state()).plan).toBeNull()
  await copy.plan()
  await copy.pass()
  expect(await names()).toEqual(expect.arrayContaining(made))
  expect(await names()).toHaveLength(2)
  await copy.planned[Symbol.asyncDispose]()
})

// Catches someone's link or directory that is removed because a backup had its name. Also catches a backup that counts as failed, and is
// made again every hour, because the previous one can't be removed.
it("keeps links and directories that replaced its backups, and continues", async () => {
  const { planned, plan, pass } = await open()
  await plan()
  for (const kind of ["link", "directory"]) {
    await pass()
    const [newest = ""] = (await names()).slice(-1)
    await rm(join(target, newest))
    if (kind === "link") await symlink(join(directory, "box.sqlite"), join(target, newest))
    else await mkdir(join(target, newest))
  }
  const others = await names()
  expect(others).toHaveLength(2)
  await pass()
  expect((await planned.state()).last?.error).toBeNull()
  expect(await names()).toEqual(expect.arrayContaining(others))
  await pass()
  expect(await names()).toEqual(expect.arrayContaining(others))
  expect(await names()).toHaveLength(3)
  await planned[Symbol.asyncDispose]()
})

// Catches someone's file that is removed because it has the name of a backup that was never made.
it("keeps a file that has the name of a failed backup", async () => {
  const tried: string[] = []
  const { planned, plan, pass } = await open("data", async (path) => {
    tried.push(basename(path))
    if (tried.length === 1) throw new Error("broken")
    if (tried.length === 2) await writeFile(join(target, tried[0] ?? ""), "somebody's")
    await writeFile(path, "archive")
  })
  await plan()
  await pass()
  await pass()
  expect(await names()).toContain(tried[0])
  await planned[Symbol.asyncDispose]()
})

// Catches a backup that counts as failed, is reported and made again every hour because an old one can't be removed, as on a write-only
// disk.
it("continues if an old backup can't be removed, and removes it later", { tags: "mount" }, async () => {
  const { planned, plan, pass } = await open()
  await plan()
  await pass()
  const [first = ""] = await names()
  const held = join(target, first)
  execFileSync("mount", ["--bind", held, held])
  try {
    await pass()
    expect((await planned.state()).last?.error).toBeNull()
    expect(await names()).toHaveLength(2)
  } finally {
    execFileSync("umount", [held])
  }
  await pass()
  expect(await names()).toHaveLength(1)
  await planned[Symbol.asyncDispose]()
})

// Catches a backup in a directory that no one chose, because a symbolic link replaced the chosen one while it was written.
it("writes nothing through a symbolic link that appeared in the meantime", async () => {
  const otherDirectory = join(directory, "elsewhere")
  const dataDir = join(directory, "data")
  for (const path of [otherDirectory, ...backedUpDirectories.map((name) => join(dataDir, name))])
    await mkdir(path, { recursive: true })
  const { planned, plan, pass } = await open("data", async (path, signal, requireTarget) => {
    try {
      await writeBackup({
        dataDir,
        stagingRoot: join(dataDir, "uploads"),
        async copyDatabase(copy) {
          await writeFile(copy, "database")
          await rename(target, `${target}-away`)
          await symlink(otherDirectory, target)
        },
        checker: { requireSound: () => Promise.resolve() },
        adoption: { absentFiles: () => Promise.resolve([]) },
        target: path,
        requireTarget,
        signal,
      })
    } finally {
      await rm(target)
      await rename(`${target}-away`, target)
    }
  })
  await plan()
  await pass()
  expect((await planned.state()).last).toMatchObject({ sentence: { code: "storage.directory_elsewhere" } })
  expect(await readdir(otherDirectory)).toEqual([])
  await planned[Symbol.asyncDispose]()
})
