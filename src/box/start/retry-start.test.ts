import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { sentence } from "../../shared/sentences/sentences.ts"
import { DatabaseAway, DatabaseUnusable } from "../core/database/database.ts"
import { toCallerError, toDatabaseUnusable } from "../core/database/postgres/connection.ts"
import { DatabaseInUse } from "../core/database/postgres/hold-database.ts"
import { retryStart } from "./retry-start.ts"

let dataDir = ""
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "casella-again-"))
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

const times = { retryDelayMs: 1, fullDiskDelayMs: 1, maxMs: 10_000 }
const options = () => ({ dataDir, quiet: true, times })
const pgError = (code: string) => Object.assign(new Error("The server's error"), { code })

/** A start that fails in these ways, and then works. */
function failing(...errors: unknown[]) {
  const starts = { count: 0, start: () => Promise.resolve("") }
  starts.start = async () => {
    starts.count++
    const error = errors.shift()
    if (error !== undefined) throw error
    return Promise.resolve("the box")
  }
  return starts
}

// Catches a start or takeover that exits because the database drops connections or accepts no changes for a moment.
test("repeats a start until the database works, and logs each failure", async () => {
  const notHeld = new DatabaseAway(new Error("not held"), sentence("core.database_away"), true)
  const starts = failing(
    toDatabaseUnusable(notHeld),
    toDatabaseUnusable(pgError("ECONNREFUSED")),
    toCallerError(pgError("25006")),
    toCallerError(pgError("53100")),
    new DatabaseInUse(), // the server still has the connection of the previous attempt
    new SuppressedError(new Error("cleaning up failed"), toDatabaseUnusable(pgError("25006"))),
  )
  expect(await retryStart(toCallerError(pgError("57P01")), starts.start, options())).toBe("the box")
  expect(starts.count).toBe(7)
  const log = await readFile(join(dataDir, "logs", "box.1.log"), "utf8")
  expect(log.match(/The database failed during the start/g)).toHaveLength(7)
})

// Catches a box that exits, and is never started again, because its own disk was full at the moment when it had to take over.
test("repeats a start without a limit of time while the disk is full, and says so", async () => {
  const full = Object.assign(new Error("write"), { code: "ENOSPC" })
  const native = new Error("lance error: No space left on device (os error 28)")
  const wrapped = new DatabaseUnusable("It can't be opened.", { cause: full })
  const starts = failing(native, wrapped, new SuppressedError(new Error("cleaning up failed"), full))
  const noTime = { ...options(), times: { ...times, maxMs: -1 } }
  expect(await retryStart(full, starts.start, noTime)).toBe("the box")
  expect(starts.count).toBe(4)
  const log = await readFile(join(dataDir, "logs", "box.1.log"), "utf8")
  expect(log.match(/The disk of the data directory is full/g)).toHaveLength(4)
})

// Catches a full disk of the database server that is reported as this box's.
test("tells a full disk of the database server apart", async () => {
  const full = Object.assign(pgError("53100"), { message: "could not extend file: No space left on device" })
  for (const error of [toCallerError(full), toDatabaseUnusable(full)])
    expect(await retryStart(error, failing().start, options())).toBe("the box")
  const log = await readFile(join(dataDir, "logs", "box.1.log"), "utf8")
  expect(log).not.toContain("The disk of the data directory is full")
})

// Catches a start that hides an error that stays, such as a port that is in use, for minutes.
test("reports errors that repeating can't help, and gives up in the end", async () => {
  for (const error of [
    Object.assign(new Error("listen"), { code: "EADDRINUSE" }),
    new DatabaseUnusable("The secrets key is wrong."),
    toDatabaseUnusable(pgError("42P01")),
  ]) {
    const starts = failing()
    await expect(retryStart(error, starts.start, options())).rejects.toBe(error)
    expect(starts.count).toBe(0)
  }
  const away = new DatabaseAway(pgError("57P01"), sentence("core.database_away"), false)
  const never = () => Promise.reject(away)
  await expect(retryStart(away, never, { ...options(), times: { ...times, maxMs: 20 } })).rejects.toBe(away)
})
