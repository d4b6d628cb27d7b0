import { mkdtemp, readFile, rm, stat, truncate, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import SqliteDatabase from "better-sqlite3"
import { afterEach, beforeEach, expect, test } from "vitest"
import { createClient, type Client } from "../shared/client/http-client.ts"
import { ageClockPath, knownDatabasePath } from "./core/data-layout.ts"
import { databasePath } from "./start/open-data.ts"
import { runCommand, startBoxProcess, type BoxProcess } from "./testing/box-process.ts"
import { waitFor } from "../shared/testing/wait-for.ts"

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "casella-startup-"))
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

/** Returns what a start and a stop write to the log. */
async function run(end: NodeJS.Signals): Promise<string> {
  const box = await startBoxProcess(dataDir)
  await box.stop(end)
  return box.stderr()
}

// Catches an owner who can't find out why work in progress is lost or why new items are listed as older ones.
test("logs at startup that the last run was interrupted and that the clock is behind", async () => {
  expect(await run("SIGKILL")).not.toContain("cut off")
  const afterKill = await run("SIGTERM")
  expect(afterKill).toContain("The last run was interrupted")
  expect(afterKill).not.toContain("clock is behind")
  const ahead = Date.now() + 3_600_000
  await writeFile(ageClockPath(dataDir), JSON.stringify({ now: ahead, caughtUp: ahead, system: ahead }))
  const afterStop = await run("SIGTERM")
  expect(afterStop).not.toContain("cut off")
  expect(afterStop).toContain("clock is behind the last run")
})

type Harm = (database: string, client: Client) => Promise<unknown>
const harmless: Harm = () => Promise.resolve()

/** Stores data, kills the box, damages its files and starts it again. Returns what the new start logs and notifies the owner of. */
async function runHarmed(
  harm: Harm,
  before: Harm,
): Promise<[hasMissingWarning: boolean, news: (string | undefined)[]]> {
  const first = await startBoxProcess(dataDir)
  await first.stop()
  const getClient = ({ url }: BoxProcess) =>
    createClient({ baseUrl: url, headers: { "x-api-key": first.firstRunKey ?? "" } })
  const box = await startBoxProcess(dataDir)
  await getClient(box).folders.create({ body: { name: "First" } })
  await before(databasePath(dataDir), getClient(box))
  await getClient(box).folders.create({ body: { name: "Last" } })
  await box.stop("SIGKILL")
  await harm(databasePath(dataDir), getClient(box))
  const restarted = await startBoxProcess(dataDir)
  await waitFor(() => expect(restarted.stderr()).toContain("All work has started"))
  const { notifications } = await getClient(restarted).notifications.list()
  await restarted.stop()
  return [restarted.stderr().includes("may be missing"), notifications.map(({ news }) => news?.kind)]
}

/** Writes the write-ahead log into the database file, and waits until the box has noticed on its next write. */
async function copyLog(database: string, client: Client): Promise<void> {
  const known = () => readFile(knownDatabasePath(dataDir), "utf8")
  const first = await known()
  const other = new SqliteDatabase(database)
  other.pragma("wal_checkpoint(TRUNCATE)")
  other.close()
  await client.folders.create({ body: { name: "Next" } })
  await waitFor(async () => {
    expect(await known()).not.toBe(first)
    expect((JSON.parse(await known()) as { stamps: string[] }).stamps).toHaveLength(1)
  })
}
const removeLog: Harm = async (database) => {
  await rm(`${database}-wal`)
  await rm(`${database}-shm`)
}

// Catches a start that silently continues without the latest changes because the write-ahead log is missing or cut off.
const cutLog: Harm = async (database) =>
  truncate(`${database}-wal`, Math.floor((await stat(`${database}-wal`)).size / 2))
test.each<[string, Harm, Harm]>([
  ["is removed", removeLog, copyLog],
  ["is emptied", (database) => truncate(`${database}-wal`), copyLog],
  ["is cut in half", cutLog, harmless],
])("warns after a kill that changes may be missing if the write-ahead log %s", async (_, harm, before) => {
  expect(await runHarmed(harm, before)).toEqual([true, ["changes_missing"]])
})

// Catches a false warning about missing changes after a kill alone, after a command, or after a backup is restored.
test.each<[string, Harm]>([
  ["nothing", harmless],
  ["a command", () => runCommand("users", "list", "--data", dataDir)],
  ["a restore", () => runCommand("restore", backup(), "--data", dataDir)],
])("doesn't warn about missing changes after a kill and %s", async (_, harm) => {
  const backUp = () => runCommand("backup", backup(), "--data", dataDir)
  const [hasMissingWarning, news] = await runHarmed(harm, backUp)
  expect(hasMissingWarning).toBe(false)
  expect(news).not.toContain("changes_missing")
  await rm(backup())
})
const backup = () => `${dataDir}.tgz`
