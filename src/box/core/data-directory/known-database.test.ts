import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { openSqlite } from "../database/sqlite/open-sqlite.ts"
import { silentLogger } from "../logging/logger.ts"
import { knowDatabase, makeOther } from "./known-database.ts"

const dayMs = 24 * 3_600_000
let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "casella-known-"))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

/** A run with the database of this name, which ends as it should unless it is killed. Answers what it knew at its start. */
async function run({
  name = "usual",
  day = 0,
  isCopy = false,
  mayWrite = true,
  during = () => Promise.resolve(),
}) {
  await using database = openSqlite(join(directory, `${name}.sqlite`))
  const times = { now: () => day * dayMs, latest: () => day * dayMs }
  const [path, databasePath] = [join(directory, "known.json"), join(directory, `${name}.sqlite`)]
  const options = {
    db: database.db,
    databasePath,
    dataDirectoryId: "here",
    path,
    isCopy,
    looks: { on: () => ({ [Symbol.dispose]: () => undefined }) },
    times,
    mayWrite: () => mayWrite,
    logger: silentLogger,
  }
  await using known = await knowDatabase(options)
  await known.start()
  await during()
  return known.isOther ? "other" : known.mayForget ? "usual" : "usual again"
}
const copyTo = (name: string) => async () => {
  await using database = openSqlite(join(directory, "usual.sqlite"))
  await database.copyTo(join(directory, `${name}.sqlite`))
}

// Would catch: what the right database knows, and is deleted for good while an older one stands in its place.
it("knows the database as the last run left it from any other, for which nothing goes for 30 days", async () => {
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

// Would catch: a run that was killed, or whose file couldn't be written, after which the database counts as another one.
it("knows the database of a run that was killed, also between the file and the database", async () => {
  expect(await run({})).toBe("usual")
  const known = join(directory, "known.json")
  const { stamps } = JSON.parse(await readFile(known, "utf8")) as { stamps: string[] }
  await writeFile(known, JSON.stringify({ stamps: [...stamps, "next"], otherSince: null }))
  expect(await run({ mayWrite: false })).toBe("usual")
  expect(await run({})).toBe("usual")
})

// Would catch: an unpacked backup that counts as a new directory's own.
it("takes one that was unpacked for another, in a new directory too", async () => {
  await using database = openSqlite(join(directory, "usual.sqlite"))
  await makeOther(database.db)
  expect(await run({})).toBe("other")
})
