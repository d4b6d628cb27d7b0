import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import type { DbOf } from "../database/database.ts"
import { openSqlite } from "../database/sqlite/open-sqlite.ts"
import { silentLogger } from "../logging/logger.ts"
import { openKnownDatabase, makeOther } from "./known-database.ts"

const dayMs = 24 * 3_600_000
let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "casella-known-"))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const getOptions = (db: DbOf<"core">, name: string) => ({
  db,
  databasePath: join(directory, `${name}.sqlite`),
  dataDirectoryId: "here",
  path: join(directory, "known.json"),
  isCopy: false,
  directoryWatch: { on: () => ({ [Symbol.dispose]: () => undefined }) },
  times: { now: () => 0, latest: () => 0 },
  canWrite: () => true,
  logger: silentLogger,
})

/**
 * Runs with the database of this name, and shuts down cleanly unless it is killed. Returns what the run knew about the database at its
 * start.
 */
async function run({
  name = "usual",
  day = 0,
  isCopy = false,
  canWrite = true,
  during = () => Promise.resolve(),
}) {
  await using database = openSqlite(join(directory, `${name}.sqlite`))
  const times = { now: () => day * dayMs, latest: () => day * dayMs }
  const options = { ...getOptions(database.db, name), isCopy, times, canWrite: () => canWrite }
  await using known = await openKnownDatabase(options)
  await known.start()
  await during()
  return known.isOther ? "other" : known.canForget ? "usual" : "usual again"
}

/** A start that is killed before it marks the database as the one it knows. */
async function runCutOff(name: string, canWrite = true): Promise<boolean> {
  await using database = openSqlite(join(directory, `${name}.sqlite`))
  const known = await openKnownDatabase({ ...getOptions(database.db, name), canWrite: () => canWrite })
  known.notice()
  return known.isNew
}
const copyTo = (name: string) => async () => {
  await using database = openSqlite(join(directory, "usual.sqlite"))
  await database.copyTo(join(directory, `${name}.sqlite`))
}

// Catches a permanent deletion of data that the right database knows, while an older database is in its place.
it("tells the last run's database from any other, for which nothing is deleted for 30 days", async () => {
  expect(await run({})).toBe("usual")
  await copyTo("older")()
  expect(await run({ during: copyTo("of-the-last-run") })).toBe("usual")
  expect(await run({ during: copyTo("later") })).toBe("usual")
  for (const name of ["older", "of-the-last-run", "later"]) expect(await run({ name })).toBe("other")
  expect(await run({})).toBe("other")
  expect(await run({ day: 29 })).toBe("usual again")
  expect(await run({ day: 31 })).toBe("usual")
  expect(await run({ isCopy: true, day: 31 })).toBe("other")
  expect(await run({ day: 62 })).toBe("usual")
})

// Catches a run that was killed, or whose file couldn't be written, after which its database is mistaken for another one.
it("recognises the database of a run that was killed, also between writing the file and the database", async () => {
  expect(await run({})).toBe("usual")
  const known = join(directory, "known.json")
  const { stamps } = JSON.parse(await readFile(known, "utf8")) as { stamps: string[] }
  await writeFile(known, JSON.stringify({ stamps: [...stamps, "next"], otherSince: null }))
  expect(await run({ canWrite: false })).toBe("usual")
  expect(await run({})).toBe("usual")
})

// Catches an unpacked backup that is mistaken for a new directory's own database.
it("treats an unpacked database as another one, also in a new directory", async () => {
  await using database = openSqlite(join(directory, "usual.sqlite"))
  await makeOther(database.db)
  expect(await run({})).toBe("other")
})

// Catches a warning that changes are missing after a restore, because the first start after it was killed.
it("is new to one start only, which may be killed, and stays another one until a start has marked it", async () => {
  await run({ during: copyTo("older") })
  await run({})
  expect(await runCutOff("older", false)).toBe(true)
  expect(await runCutOff("older")).toBe(true)
  expect(await runCutOff("older")).toBe(false)
  expect(await run({ name: "older" })).toBe("other")
  expect(await runCutOff("usual")).toBe(true)
})
