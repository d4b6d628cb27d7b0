import { existsSync } from "node:fs"
import {
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  truncate,
  writeFile,
} from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import SqliteDatabase from "better-sqlite3"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { allCommands } from "./commands/registry.ts"
import { markerFile } from "./core/data-directory/marker.ts"
import { databasePath } from "./start/open-data.ts"
import { startBoxProcess } from "./testing/box-process.ts"
import { copyWhileUsed } from "./testing/disk.ts"
import { startTestBox, type TestBox } from "./testing/test-box.ts"
import { waitFor } from "../shared/testing/wait-for.ts"

const commands = await allCommands()

let root: string, dataDir: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "casella-lost-"))
  dataDir = join(root, "data")
})
afterEach(() => rm(root, { recursive: true, force: true }))

const getNames = async ({ getClient }: TestBox, key: string) =>
  (await getClient(key).folders.list()).vectors.map(({ name }) => name).toSorted()
const getLog = async (directory: string) => {
  const names = await readdir(join(directory, "logs"))
  return (await Promise.all(names.map((name) => readFile(join(directory, "logs", name), "utf8")))).join("")
}

/** The log is written in the background. */
const logged = (directory: string, text: string) =>
  waitFor(async () => expect(await getLog(directory)).toContain(text))

const older = (path: string) => `${path}.older`
const faults: [string, (path: string) => Promise<void>][] = [
  ["the write-ahead log is removed", (path) => rm(`${path}-wal`)],
  ["the database is removed", (path) => rm(path)],
  ["what programs share of it is removed", (path) => rm(`${path}-shm`)],
  ["an older copy takes its place", (path) => rename(older(path), path)],
]

const notSaved = "The contents of the lost database couldn't be saved yet"

/** Deletes the database of a running box, which has nowhere to write a copy. */
async function loseUnsavable(): Promise<void> {
  const temporary = join(dataDir, "tmp")
  await waitFor(async () => {
    await rm(temporary, { recursive: true, force: true })
    await writeFile(temporary, "") // fails if the box recreated the directory first
  })
  await rm(databasePath(dataDir))
}

// Catches a copy that is never made because the first attempt failed.
it("A lost database that can't be saved at once is saved later", async () => {
  const box = await startTestBox({ dataDir })
  await box.client.folders.create({ body: { name: "Before" } })
  await loseUnsavable()
  await logged(dataDir, notSaved)
  await rm(join(dataDir, "tmp"))
  await mkdir(join(dataDir, "tmp"), { recursive: true }) // the box may be faster
  await waitFor(() => expect(existsSync(join(dataDir, "restore-rescued"))).toBe(true))
  await box.restart()
  expect(await getNames(box, box.key)).toEqual(["Before"])
  await box[Symbol.asyncDispose]()
})

// Catches a stop that loses all data and looks like any other.
it("A stop that can't save a lost database reports it, also in its exit code", async () => {
  const box = await startBoxProcess(dataDir)
  await loseUnsavable()
  await waitFor(() => expect(box.stderr()).toContain(notSaved))
  expect(await box.stop()).toBe(1)
  expect(await getLog(dataDir)).toContain("couldn't save the contents of the lost database")
})

/** Removes the database last, because files removed after the rescue has started may be ones that it wrote. */
const databaseLast = (one: string, other: string) =>
  Number(one.startsWith("casella.sqlite")) - Number(other.startsWith("casella.sqlite"))

// Catches a start that refuses, as someone else's, the data that the log promised to restore, and a second box next to a frozen one.
it("Data that was saved when a directory was emptied is restored", async () => {
  const box = await startTestBox({ dataDir })
  await box.client.folders.create({ body: { name: "Before" } })
  const { id } = JSON.parse(await readFile(join(dataDir, markerFile), "utf8")) as { id: string }
  for (const name of (await readdir(dataDir)).toSorted(databaseLast))
    await rm(join(dataDir, name), { recursive: true, maxRetries: 3 })
  await waitFor(() => expect(existsSync(join(dataDir, "restore-rescued"))).toBe(true))
  expect((await readdir(dataDir)).toSorted()).toEqual(expect.arrayContaining(["box.json", markerFile]))
  expect(JSON.parse(await readFile(join(dataDir, markerFile), "utf8"))).toMatchObject({ id })
  const unmarked = join(root, "unmarked")
  await copyWhileUsed(dataDir, unmarked)
  await rm(join(unmarked, markerFile))
  await box.box[Symbol.asyncDispose]()
  for (const directory of [unmarked, dataDir]) {
    await using again = await startTestBox({ dataDir: directory })
    expect(await getNames(again, box.key)).toEqual(["Before"])
  }
})

/** Starts a box that has stored a folder and then finds its database damaged at the next write, which it refuses with these words. */
async function startHarmed(harm: (path: string) => Promise<unknown>, words: string): Promise<TestBox> {
  const box = await startTestBox({ dataDir })
  const path = databasePath(dataDir)
  await cp(path, older(path))
  await box.client.folders.create({ body: { name: "Before" } })
  await harm(path)
  await expect(box.client.folders.create({ body: { name: "After" } })).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining(words) as string,
  })
  return box
}

describe.each(faults)("When %s while the box runs,", (_, harm) => {
  // Catches writes that are confirmed without a warning and missing after the next start.
  it("it rejects writes with a reason, and the next start has all stored data", async () => {
    const box = await startHarmed(harm, "restart Casella")
    const { key } = box
    expect(await getNames(box, key)).toEqual(["Before"])
    await waitFor(() => expect(existsSync(join(dataDir, "restore-rescued"))).toBe(true))
    const keysCreate = commands.find(({ words }) => words.join(" ") === "keys create")
    await expect(keysCreate?.run({ data: dataDir, name: "Lost" }, [])).rejects.toThrow("Restart Casella")
    const loss = "A file of Casella's database was removed or replaced"
    await logged(dataDir, loss)
    const killed = join(root, "killed")
    await copyWhileUsed(dataDir, killed)
    await box.box[Symbol.asyncDispose]()

    for (const directory of [killed, dataDir]) {
      await using again = await startTestBox({ dataDir: directory })
      expect(await getNames(again, key)).toEqual(["Before"])
      await again.getClient(key).folders.create({ body: { name: "After" } })
      const { copies } = (await again.getClient(key).storage.read()).storage
      expect(copies).toEqual([expect.objectContaining({ kind: "replaced" })])
      expect(await getLog(directory)).toContain(loss)
      await again.restart()
      expect(await getNames(again, key)).toEqual(["After", "Before"])
    }
  })
})

const overwrites: [string, (path: string) => Promise<void>][] = [
  ["an older copy is copied over it", async (path) => writeFile(path, await readFile(older(path)))],
  ["it is emptied", (path) => truncate(path)],
  ["its first pages are overwritten", (path) => writeFile(path, Buffer.alloc(8192, "x"), { flag: "r+" })],
  ["its write-ahead log is emptied", (path) => truncate(`${path}-wal`)],
  [
    "its write-ahead log is cut in half",
    async (path) => truncate(`${path}-wal`, Math.floor((await stat(`${path}-wal`)).size / 2)),
  ],
  ["an older write-ahead log is copied over it", (path) => writeFile(`${path}-wal`, Buffer.alloc(1e6, "x"))],
]

describe.each(overwrites)("When the database exists but %s while the box runs,", (_, harm) => {
  // Catches writes that are confirmed without a warning until a start that can't read the database or has lost it silently.
  it("it rejects writes, and reports the loss then and at the next start", async () => {
    const box = await startHarmed(harm, "overwritten")
    const { key } = box
    await waitFor(() => expect(existsSync(join(dataDir, "restore-rescued"))).toBe(true))
    const killed = join(root, "killed")
    await copyWhileUsed(dataDir, killed)
    await expect(box.box[Symbol.asyncDispose]()).rejects.toThrow("wrote over")
    expect(await getLog(dataDir)).toContain("was overwritten by another program")

    for (const directory of [killed, dataDir]) {
      await using again = await startTestBox({ dataDir: directory })
      const news = async () =>
        (await again.getClient(key).notifications.list()).notifications.map((found) => found.news?.kind)
      expect(await getNames(again, key)).toEqual(["Before"])
      await logged(directory, "newest data may be missing")
      expect(await news()).toEqual(["changes_missing"])
      const warnings = (await getLog(directory)).split("may be missing").length
      await again.restart()
      expect((await getLog(directory)).split("may be missing")).toHaveLength(warnings)
    }
  })
})

// Catches a database that is treated as overwritten when Casella, a command or another program checkpoints its write-ahead log.
it("SQLite's own operations on the database aren't treated as a loss", async () => {
  await using box = await startTestBox({ dataDir })
  const other = new SqliteDatabase(databasePath(dataDir), { timeout: 0 })
  const statements = "CREATE TABLE IF NOT EXISTS other (x); INSERT INTO other VALUES (randomblob(90000))"
  for (const mode of ["PASSIVE", "FULL", "RESTART", "TRUNCATE"]) {
    for (let some = 0; some < 5; some++) {
      await box.client.folders.create({ body: { name: `${mode} ${some}` } })
      await waitFor(() => other.exec(statements)) // The box may be writing.
    }
    await waitFor(() => expect(other.pragma(`wal_checkpoint(${mode})`)).toMatchObject([{ busy: 0 }]))
    await box.client.folders.create({ body: { name: mode } })
    await box.client.folders.create({ body: { name: `${mode} again` } })
  }
  await waitFor(() => other.exec("DROP TABLE other"))
  await waitFor(() => other.exec("VACUUM"))
  other.close()
  expect(await getNames(box, box.key)).toHaveLength(28)
})
