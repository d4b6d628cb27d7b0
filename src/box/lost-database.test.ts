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
import { startTestBox, type TestBox } from "./testing/test-box.ts"
import { waitFor } from "../shared/testing/wait-for.ts"

const commands = await allCommands()

let root: string, dataDir: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "casella-lost-"))
  dataDir = join(root, "data")
})
afterEach(() => rm(root, { recursive: true, force: true }))

const namesOf = async ({ clientOf }: TestBox, key: string) =>
  (await clientOf(key).folders.list()).vectors.map(({ name }) => name).toSorted()
const logOf = async (directory: string) => {
  const names = await readdir(join(directory, "logs"))
  return (await Promise.all(names.map((name) => readFile(join(directory, "logs", name), "utf8")))).join("")
}

const older = (path: string) => `${path}.older`
const faults: [string, (path: string) => Promise<void>][] = [
  ["the write-ahead log is removed", (path) => rm(`${path}-wal`)],
  ["the database is removed", (path) => rm(path)],
  ["what programs share of it is removed", (path) => rm(`${path}-shm`)],
  ["an older copy takes its place", (path) => rename(older(path), path)],
]

const notSaved = "What the lost database holds couldn't be saved yet"

/** Loses the database of a running box, which has nowhere to write the copy. */
async function loseUnsavable(): Promise<void> {
  const temporary = join(dataDir, "tmp")
  await rm(temporary, { recursive: true })
  await writeFile(temporary, "")
  await rm(databasePath(dataDir))
}

// Would catch: a copy that isn't made, because the first attempt failed.
it("What couldn't be saved of a lost database at once is saved later", async () => {
  const box = await startTestBox({ dataDir })
  await box.client.folders.create({ body: { name: "Before" } })
  await loseUnsavable()
  await waitFor(async () => expect(await logOf(dataDir)).toContain(notSaved))
  await rm(join(dataDir, "tmp"))
  await mkdir(join(dataDir, "tmp"))
  await waitFor(() => expect(existsSync(join(dataDir, "restore-rescued"))).toBe(true))
  await box.restart()
  expect(await namesOf(box, box.key)).toEqual(["Before"])
  await box[Symbol.asyncDispose]()
})

// Would catch: a stop that loses everything and looks like any other.
it("A stop that can't save a lost database says so, and its exit code too", async () => {
  const box = await startBoxProcess(dataDir)
  await loseUnsavable()
  await waitFor(() => expect(box.stderr()).toContain(notSaved))
  expect(await box.stop()).toBe(1)
  expect(await logOf(dataDir)).toContain("couldn't save what the lost database held")
})

/** What is removed once the rescue has begun may be what it wrote. */
const databaseLast = (one: string, other: string) =>
  Number(one.startsWith("casella.sqlite")) - Number(other.startsWith("casella.sqlite"))

// Would catch: a start that refuses what the log said it puts back, as somebody else's; a second box beside one that froze.
it("What was saved when a directory was emptied is put back", async () => {
  const box = await startTestBox({ dataDir })
  await box.client.folders.create({ body: { name: "Before" } })
  const { id } = JSON.parse(await readFile(join(dataDir, markerFile), "utf8")) as { id: string }
  for (const name of (await readdir(dataDir)).toSorted(databaseLast))
    await rm(join(dataDir, name), { recursive: true, maxRetries: 3 })
  await waitFor(() => expect(existsSync(join(dataDir, "restore-rescued"))).toBe(true))
  expect((await readdir(dataDir)).toSorted()).toEqual(expect.arrayContaining(["box.json", markerFile]))
  expect(JSON.parse(await readFile(join(dataDir, markerFile), "utf8"))).toMatchObject({ id })
  const unmarked = join(root, "unmarked")
  await cp(dataDir, unmarked, { recursive: true })
  await rm(join(unmarked, markerFile))
  await box.box[Symbol.asyncDispose]()
  for (const directory of [unmarked, dataDir]) {
    await using again = await startTestBox({ dataDir: directory })
    expect(await namesOf(again, box.key)).toEqual(["Before"])
  }
})

/** A box that has stored a folder and finds its database harmed at the next write, which it refuses by these words. */
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
  // Would catch: everything acknowledged, nothing told, and nothing of it there after the next start.
  it("it takes nothing more, says so, and the next start has all that was stored", async () => {
    const box = await startHarmed(harm, "Restart Casella")
    const { key } = box
    expect(await namesOf(box, key)).toEqual(["Before"])
    await waitFor(() => expect(existsSync(join(dataDir, "restore-rescued"))).toBe(true))
    const keysCreate = commands.find(({ words }) => words.join(" ") === "keys create")
    await expect(keysCreate?.run({ data: dataDir, name: "Lost" }, [])).rejects.toThrow("Restart Casella")
    const killed = join(root, "killed")
    await cp(dataDir, killed, { recursive: true })
    await box.box[Symbol.asyncDispose]()

    for (const directory of [killed, dataDir]) {
      await using again = await startTestBox({ dataDir: directory })
      expect(await namesOf(again, key)).toEqual(["Before"])
      await again.clientOf(key).folders.create({ body: { name: "After" } })
      const { copies } = (await again.clientOf(key).storage.read()).storage
      expect(copies).toEqual([expect.objectContaining({ kind: "replaced" })])
      expect(await logOf(directory)).toContain("A file of Casella's database was removed or replaced")
      await again.restart()
      expect(await namesOf(again, key)).toEqual(["After", "Before"])
    }
  })
})

const overwrites: [string, (path: string) => Promise<void>][] = [
  ["an older copy is copied over it", async (path) => writeFile(path, await readFile(older(path)))],
  ["it is emptied", (path) => truncate(path)],
  ["its first pages are written over", (path) => writeFile(path, Buffer.alloc(8192, "x"), { flag: "r+" })],
  ["its write-ahead log is emptied", (path) => truncate(`${path}-wal`)],
  [
    "its write-ahead log is cut in half",
    async (path) => truncate(`${path}-wal`, Math.floor((await stat(`${path}-wal`)).size / 2)),
  ],
  ["an older write-ahead log is copied over it", (path) => writeFile(`${path}-wal`, Buffer.alloc(1e6, "x"))],
]

describe.each(overwrites)("When the database is there but %s while the box runs,", (_, harm) => {
  // Would catch: everything acknowledged and nothing told, until a start that can't read it or has lost it without a word.
  it("it takes nothing more, and tells then and at the next start", async () => {
    const box = await startHarmed(harm, "written over")
    const { key } = box
    await waitFor(() => expect(existsSync(join(dataDir, "restore-rescued"))).toBe(true))
    const killed = join(root, "killed")
    await cp(dataDir, killed, { recursive: true })
    await expect(box.box[Symbol.asyncDispose]()).rejects.toThrow("wrote over")
    expect(await logOf(dataDir)).toContain("was written over by another program")

    for (const directory of [killed, dataDir]) {
      await using again = await startTestBox({ dataDir: directory })
      const news = async () =>
        (await again.clientOf(key).notifications.list()).notifications.map((found) => found.news?.kind)
      expect(await namesOf(again, key)).toEqual(["Before"])
      expect(await logOf(directory)).toContain("stored last may be missing")
      expect(await news()).toEqual(["changes_missing"])
      const told = (await logOf(directory)).split("may be missing").length
      await again.restart()
      expect((await logOf(directory)).split("may be missing")).toHaveLength(told)
    }
  })
})

// Would catch: a database that is taken for overwritten when Casella, a command or a program copies its log into it.
it("What SQLite itself does with the database isn't taken for a loss", async () => {
  await using box = await startTestBox({ dataDir })
  const other = new SqliteDatabase(databasePath(dataDir), { timeout: 0 })
  const statements = "CREATE TABLE IF NOT EXISTS other (x); INSERT INTO other VALUES (randomblob(90000))"
  for (const mode of ["PASSIVE", "FULL", "RESTART", "TRUNCATE"]) {
    for (let some = 0; some < 5; some++) {
      await box.client.folders.create({ body: { name: `${mode} ${some}` } })
      await waitFor(() => other.exec(statements)) // the box may be writing
    }
    await waitFor(() => expect(other.pragma(`wal_checkpoint(${mode})`)).toMatchObject([{ busy: 0 }]))
    await box.client.folders.create({ body: { name: mode } })
    await box.client.folders.create({ body: { name: `${mode} again` } })
  }
  await waitFor(() => other.exec("DROP TABLE other"))
  await waitFor(() => other.exec("VACUUM"))
  other.close()
  expect(await namesOf(box, box.key)).toHaveLength(28)
})
