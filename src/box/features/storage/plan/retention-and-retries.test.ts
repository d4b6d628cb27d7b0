import { openSqlite } from "../../../core/database/sqlite/open-sqlite.ts"
import { mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { createBoxValues } from "../../../core/database/box-values.ts"
import type { OpenDatabase } from "../../../core/database/database.ts"
import { silentLogger } from "../../../core/logging/logger.ts"
import { nameTaken } from "../write-backup.ts"
import { createPlannedBackups } from "./planned-backups.ts"
import { waitFor } from "../../../../shared/testing/wait-for.ts"

let directory: string
let database: OpenDatabase
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "casella-planned-"))
  database = openSqlite(join(directory, "box.sqlite"))
  vi.useFakeTimers({ toFake: ["Date", "setInterval", "clearInterval"], now: new Date("2026-03-04T20:00:00") })
})
afterEach(async () => {
  vi.useRealTimers()
  await database[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

const dayMs = 24 * 3_600_000

async function openPlanned(write = (path: string) => writeFile(path, "archive")) {
  const target = join(directory, "backups")
  await mkdir(target, { recursive: true })
  const reported: string[] = []
  const planned = createPlannedBackups({
    values: createBoxValues(database.db),
    dataDirectoryId: "data",
    write,
    failed: async ({ message }) => void reported.push(message),
    logger: silentLogger,
  })
  await planned.start()
  await planned.plan({ every: "day", weekday: 1, at: "21:30", directory: target, keep: 2 })
  const names = async () =>
    (await readdir(target)).filter((name) => name.startsWith("casella-backup-")).toSorted()
  /** Lets this much time pass, and waits until due backups have ended. */
  async function pass(ms: number) {
    await vi.advanceTimersByTimeAsync(ms)
    await waitFor(async () => {
      const { running, nextAt } = await planned.state()
      expect(running).toBe(false)
      expect(Date.parse(nextAt ?? "")).toBeGreaterThan(Date.now())
    })
  }
  return { planned, target, reported, names, pass }
}

// Catches a disk that fills up over the months, the newest backup removed instead of the oldest, and removed files of someone else.
it("keeps the newest two of its own backups", async () => {
  const { planned, target, names, pass } = await openPlanned()
  const foreign = "casella-backup-2020-01-01-00-00-00-000.tgz"
  await writeFile(join(target, foreign), "somebody's")
  expect(await names()).toEqual([foreign])
  await pass(2 * 3_600_000)
  const first = (await names()).at(-1)
  for (let day = 0; day < 3; day++) await pass(dayMs)
  const left = await names()
  expect(left).toHaveLength(3)
  expect(left).toContain(foreign)
  expect(left).not.toContain(first)
  expect((await planned.state()).last?.path).toBe(join(target, left.at(-1) ?? ""))
  await planned[Symbol.asyncDispose]()
})

// Catches a disk that is missing for a night and is reported at every retry, or never. Also catches old backups that are removed for failed
// ones.
it("reports a failure once, retries within the hour, and reports again after a successful backup", async () => {
  const { planned, target, reported, names, pass } = await openPlanned()
  await pass(2 * 3_600_000)
  const made = await names()
  expect(made).toHaveLength(1)
  const away = `${target}-away`
  await rename(target, away)
  await pass(dayMs)
  await pass(2 * 3_600_000)
  expect(reported).toEqual(["This folder doesn't exist. Create it, connect its disk, or choose another one."])
  expect((await planned.state()).last).toMatchObject({
    sizeBytes: null,
    sentence: { code: "storage.no_directory" },
  })
  await rename(away, target)
  await pass(2 * 3_600_000)
  expect((await planned.state()).last?.error).toBeNull()
  expect(await names()).toEqual(expect.arrayContaining(made))
  await rename(target, away)
  await pass(dayMs)
  expect(reported).toHaveLength(2)
  await planned[Symbol.asyncDispose]()
})

// Catches backups that are written, and other people's files that are removed, through a symbolic link that replaced the directory.
it("neither writes nor removes files through a symbolic link that replaced the directory, and reports it", async () => {
  const { planned, target, reported, names, pass } = await openPlanned()
  await pass(2 * 3_600_000)
  await pass(dayMs)
  const made = await names()
  expect(made).toHaveLength(2)
  const otherDirectory = join(directory, "elsewhere")
  await rename(target, otherDirectory)
  await symlink(otherDirectory, target)
  await pass(dayMs)
  expect(await names()).toEqual(made)
  expect(reported).toEqual([expect.stringContaining("now leads to a different location")])
  expect((await planned.state()).last).toMatchObject({
    sizeBytes: null,
    sentence: { code: "storage.directory_elsewhere" },
  })
  await planned[Symbol.asyncDispose]()
})

// Catches the same if the link appeared while the backup was written: the old backups there aren't its own.
it("removes nothing through a symbolic link that appeared while the backup was written", async () => {
  const { planned, target, reported, names, pass } = await openPlanned(async (path) => {
    await writeFile(path, "archive")
    if ((await names()).length < 3) return
    await rename(target, join(directory, "elsewhere"))
    await symlink(join(directory, "elsewhere"), target)
  })
  await pass(2 * 3_600_000)
  await pass(dayMs)
  await pass(dayMs)
  expect(await names()).toHaveLength(3)
  expect(reported).toHaveLength(1)
  await planned[Symbol.asyncDispose]()
})

// Catches a backup from another server, which took the name first, that is removed as one of this server's old backups.
it("keeps a file that already had the backup's name", async () => {
  let foreign: string | undefined
  const { planned, names, pass } = await openPlanned(async (path) => {
    await writeFile(path, foreign === undefined ? "somebody's" : "archive")
    if (foreign !== undefined) return
    foreign = basename(path)
    throw nameTaken(path)
  })
  await pass(2 * 3_600_000)
  await pass(2 * 3_600_000)
  for (let day = 0; day < 3; day++) await pass(dayMs)
  expect(await names()).toHaveLength(3)
  expect(await names()).toContain(foreign)
  await planned[Symbol.asyncDispose]()
})

// Catches a clock that was ahead for a while, after which no backup is made until the time that it showed.
it("makes backups again after the clock was ahead", async () => {
  const today = Date.now()
  const { names, pass, planned } = await openPlanned()
  vi.setSystemTime(today + 3_000 * dayMs)
  await pass(60_000)
  expect(await names()).toHaveLength(1)
  vi.setSystemTime(today)
  await pass(60_000)
  expect(Date.parse((await planned.state()).last?.at ?? "")).toBeLessThan(today + dayMs)
  expect(await names()).toHaveLength(2)
  await pass(dayMs)
  const { last } = await planned.state()
  expect(Date.parse(last?.at ?? "")).toBeGreaterThan(today + 3_600_000)
  expect(await names()).toContain(basename(last?.path ?? ""))
  await planned[Symbol.asyncDispose]()
})

// Catches a backup that was planned while the clock was ahead, and that is made again and again, or not before the time that it showed.
it("makes a backup that was planned while the clock was ahead, and the next one at its time", async () => {
  const today = Date.now()
  vi.setSystemTime(today + 3_000 * dayMs)
  const { names, pass, planned } = await openPlanned()
  vi.setSystemTime(today)
  await pass(60_000)
  expect(await names()).toHaveLength(1)
  await pass(60_000)
  expect(await names()).toHaveLength(1)
  await pass(dayMs)
  expect(await names()).toHaveLength(2)
  await planned[Symbol.asyncDispose]()
})
