import { existsSync } from "node:fs"
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  truncate,
  utimes,
  writeFile,
} from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import SqliteDatabase from "better-sqlite3"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { directoryState } from "../../testing/disk.ts"
import { startTestBox } from "../../testing/test-box.ts"
import { allCommands } from "../../commands/registry.ts"
import { partialPrefix } from "../files/durable-file.ts"
import { openSqlite } from "../database/sqlite/open-sqlite.ts"
import { claimDataDirectory } from "./claim.ts"
import { makeMarker, markerFile, newMarker, noteDatabase } from "./marker.ts"

const commands = await allCommands()

let root: string, directory: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "casella-claim-"))
  directory = join(root, "data")
})
afterEach(() => rm(root, { recursive: true, force: true }))

/** Runs a command with the given arguments. */
const call = (name: string, ...args: string[]): Promise<string[]> =>
  commands
    .find(({ words }) => words.join(" ") === name)
    ?.run({ data: directory, name: "x", to: "file" }, args) ??
  Promise.reject(new Error(`There is no command ${name}.`))

const path = (...names: string[]) => join(directory, ...names)
const markerText = () => readFile(path(markerFile), "utf8")
async function put(files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path(name, ".."), { recursive: true })
    await writeFile(path(name), text)
  }
}
/** Creates a directory in which a box ran. */
async function makeData(): Promise<void> {
  claimDataDirectory(directory)
  await openSqlite(path("casella.sqlite"))[Symbol.asyncDispose]()
  noteDatabase(directory)
}
function foreignDatabase(mode: "delete" | "wal"): void {
  const sqlite = new SqliteDatabase(path("casella.sqlite"))
  sqlite.pragma(`journal_mode = ${mode}`)
  sqlite.exec("CREATE TABLE notes (text TEXT)")
  sqlite.close()
}

describe("An unclaimed directory", () => {
  const theirs = {
    "tmp/draft.txt": "a",
    "uploads/photo.jpg": "b",
    "index/contents.txt": "c",
    "chat-files/log.txt": "d",
    "trash/2026-01-01/old.txt": "e",
    "restore-ready/casella.sqlite": "f",
  }
  // Catches a mistyped `--data`, and a directory whose contents are deleted because they have the names of the box's own directories.
  it("is refused by every command and stays unchanged", async () => {
    await put(theirs)
    await writeFile(join(root, "some.backup"), "x")
    await chmod(directory, 0o755)
    const before = await directoryState(directory)
    const refusal = `${directory} contains files that aren't Casella's. Choose an empty directory with --data, or one that doesn't exist yet.`
    const starts: [string, () => Promise<unknown>][] = commands.map(({ words, takes, run }) => {
      const args = takes.map(() => join(root, words[0] === "restore" ? "some.backup" : words.join("-")))
      return [words.join(" "), () => run({ data: directory, name: "x", to: "file", choices: "yes,no" }, args)]
    })
    for (const [name, start] of [
      ...starts,
      ["the box", () => startTestBox({ dataDir: directory })] as const,
    ]) {
      if (name === "users add") continue // requires an address first
      if (name.startsWith("complet")) continue // prints its output without a data directory
      await expect(start(), name).rejects.toThrow(refusal)
      expect(await directoryState(directory), name).toEqual(before)
    }
  })

  it.each([
    ["an empty file of the database's name", () => put({ "casella.sqlite": "" })],
    ["a text of that name", () => put({ "casella.sqlite": "These are notes." })],
    ["another database", () => put({ "a.txt": "" }).then(() => foreignDatabase("delete"))],
    ["another database that writes ahead", () => put({ "a.txt": "" }).then(() => foreignDatabase("wal"))],
    ["a directory of that name", () => put({ "casella.sqlite/a.txt": "" })],
    ["a marker that isn't one", () => put({ [markerFile]: "{}" })],
    ["a directory of the marker's name", () => put({ [`${markerFile}/a.txt`]: "" })],
    ["only hidden files", () => put({ ".git/config": "" })],
  ])("is refused with %s in it", async (_, fill) => {
    await fill()
    const before = await names()
    expect(() => claimDataDirectory(directory)).toThrow(/hoose an empty directory|isn.t. Move it away/)
    expect(await names()).toEqual(before)
  })
  /** Reading a database in WAL mode may change the directory's time, but nothing else. */
  const names = async () =>
    Object.fromEntries(Object.entries(await directoryState(directory)).filter(([name]) => name !== ""))

  it("is claimed when it is empty, apart from the file system's own entries", async () => {
    await mkdir(path("lost+found"), { recursive: true })
    claimDataDirectory(directory)
    expect(JSON.parse(await markerText())).toMatchObject({ format: 1, hasDatabase: false })
  })

  // Catches a start that mistakes a concurrent start's marker for someone else's file, and an interrupted first start that blocks all later
  // ones.
  it("is claimed when another start is writing a marker, or was killed while writing it", async () => {
    await put({ [`${partialPrefix}1`]: "{" })
    claimDataDirectory(directory)
    expect(JSON.parse(await markerText())).toMatchObject({ hasDatabase: false })
  })

  // Catches the slower of two first starts that records again that there is no database yet.
  it("keeps the marker of another start that claimed it in the meantime", async () => {
    await makeData()
    const marker = await markerText()
    makeMarker(directory, newMarker(directory, false))
    expect(await markerText()).toBe(marker)
    expect((await readdir(directory)).filter((name) => name.startsWith(partialPrefix))).toEqual([])
  })

  // Catches an update that mistakes an earlier Casella's data for someone else's.
  it.each([1, 24])("is adopted when it is an earlier Casella's, with schema %d", async (schema) => {
    const { migrations } = await import("../database/migrations/registry.ts")
    await openSqlite(path("casella.sqlite"), migrations.slice(0, schema))[Symbol.asyncDispose]()
    claimDataDirectory(directory)
    const marker = await markerText()
    expect(JSON.parse(marker)).toMatchObject({ place: directory, hasDatabase: true })
    claimDataDirectory(directory)
    expect(await markerText()).toBe(marker)
  })

  // Catches a user's directory with a copy of the database, in which entries with the names of the box's own are deleted.
  it.each(["letter.txt", "film.mkv.partial", "thesis/a.md", ".git/config", "tmp.md"])(
    "is refused and stays unchanged when it holds a copy of a Casella database and %s",
    async (name) => {
      await put({ ...theirs, [name]: "mine" })
      await openSqlite(path("casella.sqlite"))[Symbol.asyncDispose]()
      const before = await names()
      expect(() => claimDataDirectory(directory)).toThrow(
        `contains other files next to Casella's database, such as "${name.split("/")[0]}". If casella.sqlite is only a copy, move it`,
      )
      expect(await names()).toEqual(before)
    },
  )

  // Catches an older data directory that is refused because of files that an earlier Casella or the system left in it.
  it("is adopted with everything that an earlier Casella may have left", async () => {
    const files = [
      "box.lock",
      "box.json.new",
      "clock.json",
      "database.json",
      "secrets.json",
      "gpu.json",
      "models.json",
      ".DS_Store",
      ".config",
      ".nfs000000000123",
      "@eaDir",
      "casella.sqlite.bak",
    ]
    const directories = [
      "folders",
      "trash",
      "chat-files",
      "uploads",
      "tmp",
      "index",
      "index.broken",
      "models",
      "avatars",
    ]
    const more = [
      "ocr-languages",
      "logs",
      "snapshots",
      "backups",
      "reserve",
      "desktop",
      "incoming",
      "backup-a1B2c3",
    ]
    const restores = ["restore-ready", "restore-moving", "before-restore-1790000000000", "lost+found"]
    for (const name of files) await put({ [name]: "{}" })
    for (const name of [...directories, ...more, ...restores]) await put({ [`${name}/a`]: "" })
    await put({ ".casella-partial-1": "" })
    await openSqlite(path("casella.sqlite"))[Symbol.asyncDispose]()
    claimDataDirectory(directory)
    expect(existsSync(path(markerFile))).toBe(true)
  })

  // Catches a box that was killed before SQLite moved anything from its journal into the database.
  it("is adopted when an earlier Casella was killed in its first minute", async () => {
    await put({ "../first/a.txt": "", "tmp/a.txt": "" })
    const open = new SqliteDatabase(path("../first", "casella.sqlite"))
    open.pragma("journal_mode = WAL")
    open.exec("CREATE TABLE users (id); CREATE TABLE workspaces (id); CREATE TABLE apiKeys (id)")
    open.exec("CREATE TABLE settings (id)")
    for (const name of ["casella.sqlite", "casella.sqlite-wal"])
      await writeFile(path(name), await readFile(path("../first", name)))
    open.close()
    expect((await stat(path("casella.sqlite"))).size).toBe(4096)
    claimDataDirectory(directory)
    expect(existsSync(path(markerFile))).toBe(true)
    expect(existsSync(path("casella.sqlite-wal"))).toBe(true)
  })
})

describe("A missing database", () => {
  const gone = [
    ["missing", () => rm(path("casella.sqlite"))],
    ["empty", () => truncate(path("casella.sqlite"))],
  ] as const

  // Catches a lost database that is replaced by a new one, so that its documents belong to no one.
  it.each(gone)("is never mistaken for a new box: %s", async (state, lose) => {
    await makeData()
    await writeFile(path("casella.sqlite-wal"), "what was written last")
    await lose()
    const before = await directoryState(directory)
    expect(() => claimDataDirectory(directory)).toThrow(`Casella's database is ${state}`)
    expect(() => claimDataDirectory(directory)).toThrow('Restore a backup with "restore FILE"')
    expect(await directoryState(directory)).toEqual(before)
  })

  it("is reported with the newest available copy", async () => {
    await makeData()
    await rm(path("casella.sqlite"))
    const copies = [
      ["snapshots/schema-9.sqlite", /delete casella.sqlite-wal and casella.sqlite-shm and copy (.*) to /],
      [
        "before-restore-1/casella.sqlite",
        /delete casella.sqlite-wal and casella.sqlite-shm and copy (.*) to /,
      ],
      ["backups/casella-backup-2026-01-01.tgz", /with "restore (.*)"/],
    ] as const
    for (const [age, [copy, advice]] of copies.entries()) {
      await put({ [copy]: "x" })
      await utimes(path(copy), 1000 + age, 1000 + age)
      const message = (() => {
        try {
          claimDataDirectory(directory)
        } catch (error) {
          return String(error)
        }
        return ""
      })()
      expect(advice.exec(message)?.[1]).toBe(path(copy))
    }
  })

  // Catches a box that refuses to start permanently because its first start was interrupted.
  it("is created by the next start if the first start was killed", async () => {
    claimDataDirectory(directory)
    await writeFile(path("casella.sqlite"), "")
    claimDataDirectory(directory)
  })

  it("is recovered by a restore, even if the restore was interrupted", async () => {
    const backup = join(root, "all.tgz")
    await call("users add", "ann@example.com")
    await call("backup", backup)
    await rm(directory, { recursive: true })
    await mkdir(directory)
    await call("restore", backup) // into a new directory, which has a database from then on
    await rm(path("casella.sqlite"))
    await expect(call("users list")).rejects.toThrow("database is missing")
    await call("restore", backup)
    expect(JSON.parse(await markerText())).toMatchObject({ hasDatabase: true })
    expect((await call("users list")).join()).toContain("ann@example.com")
    await mkdir(path("restore-moving"))
    await rename(path("casella.sqlite"), path("restore-moving/casella.sqlite"))
    await expect(call("salvage", join(root, "salvaged"))).rejects.toThrow("isn't finished")
    await call("users add", "bo@example.com") // not into a database created for the restore, which the restored one replaces
    const { box } = await startTestBox({ dataDir: directory })
    await box[Symbol.asyncDispose]()
    expect((await call("users list")).join()).toMatch(/ann@example.com.*bo@example.com/)
  })
})
