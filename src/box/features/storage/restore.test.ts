import { databaseAdoption } from "../../compose/adopt-database.ts"
import { existsSync, rmSync, writeFileSync } from "node:fs"
import {
  chmod,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
  type FileHandle,
} from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import SqliteDatabase from "better-sqlite3"
import { create, Header } from "tar"
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { spawnNodeChild } from "../../core/children/child.ts"
import { openSqlite } from "../../core/database/sqlite/open-sqlite.ts"
import { writeNewDatabase } from "../../core/database/testing/test-database.ts"
import { createDatabaseChecker } from "../../core/database/sqlite/integrity/check-database.ts"
import { createPeople } from "../accounts/people.ts"
import { silentLogger } from "../../core/logging/logger.ts"
import { runCommand, killsItself, withScript } from "../../testing/box-process.ts"
import { applyStagedRestore } from "./apply-restore.ts"
import { stageRestore } from "./staged-restore.ts"
import { writeBackup } from "./write-backup.ts"

let root: string
let dataDir: string
let staging: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "casella-restore-"))
  dataDir = join(root, "data")
  staging = join(dataDir, "uploads")
  await mkdir(staging, { recursive: true })
})
afterEach(() => rm(root, { recursive: true, force: true }))

const checker = createDatabaseChecker(spawnNodeChild)
afterAll(() => checker[Symbol.asyncDispose]())
const job = () => ({ dataDir, stagingRoot: staging, checker, adoption: databaseAdoption })

/** A data directory with a database and a file that both contain a name. */
async function makeData(directory: string, name: string): Promise<void> {
  await mkdir(join(directory, "folders", "f1"), { recursive: true })
  await writeFile(join(directory, "folders", "f1", "a.txt"), name)
  await writeNewDatabase(join(directory, "casella.sqlite"))
  await using database = openSqlite(join(directory, "casella.sqlite"))
  const owner = await createPeople(database.db).ensureOwner()
  await createPeople(database.db).change(owner?.id ?? "", { name })
}

async function getOwner(directory: string): Promise<string> {
  await using database = openSqlite(join(directory, "casella.sqlite"))
  return (await createPeople(database.db).localOwner()).name
}

async function backUp(directory: string, onProgress?: () => void): Promise<string> {
  const target = join(root, `${basename(directory)}.tgz`)
  await using database = openSqlite(join(directory, "casella.sqlite"))
  const options = { ...job(), dataDir: directory, stagingRoot: root, copyDatabase: database.copyTo, target }
  await writeBackup({ ...options, ...(onProgress ? { onProgress } : {}) })
  return target
}

/** An archive of these files, as someone might send one. */
async function archive(fill: (directory: string) => Promise<unknown>): Promise<string> {
  const directory = await mkdtemp(join(root, "hostile-"))
  await makeData(directory, "Hostile")
  await fill(directory)
  const file = `${directory}.tgz`
  await create({ file, cwd: directory, gzip: true }, await readdir(directory))
  return file
}

describe("Interrupted restores", () => {
  const parts = ["casella.sqlite", "folders"]

  beforeEach(async () => {
    await makeData(dataDir, "Present")
    const otherDirectory = join(root, "elsewhere")
    await makeData(otherDirectory, "Restored")
    await stageRestore({ ...job(), file: await backUp(otherDirectory) })
  })

  async function expectRestored(): Promise<void> {
    expect(await getOwner(dataDir)).toBe("Restored")
    expect(await readFile(join(dataDir, "folders", "f1", "a.txt"), "utf8")).toBe("Restored")
    expect(existsSync(join(dataDir, "restore-ready")) || existsSync(join(dataDir, "restore-moving"))).toBe(
      false,
    )
  }

  // Catches a power failure during a restore that loses either state of the data.
  it.each([0, 1, 2])("continue after %d parts of the present data were moved aside", async (moved) => {
    const { stagedAt } = JSON.parse(
      await readFile(join(dataDir, "restore-ready", "restore.json"), "utf8"),
    ) as {
      stagedAt: string
    }
    const aside = join(dataDir, `before-restore-${Date.parse(stagedAt)}`)
    await mkdir(aside)
    for (const part of parts.slice(0, moved)) await rename(join(dataDir, part), join(aside, part))
    await applyStagedRestore(dataDir, silentLogger)
    await expectRestored()
    expect(await getOwner(aside)).toBe("Present")
    expect(await readFile(join(aside, "folders", "f1", "a.txt"), "utf8")).toBe("Present")
  })

  it.each([0, 1, 2])("continue after %d parts of the backup were moved in", async (moved) => {
    for (const part of parts) await rename(join(dataDir, part), join(root, part))
    await rename(join(dataDir, "restore-ready"), join(dataDir, "restore-moving"))
    for (const part of parts.slice(0, moved))
      await rename(join(dataDir, "restore-moving", part), join(dataDir, part))
    await applyStagedRestore(dataDir, silentLogger)
    await expectRestored()
  })

  // Catches a second `restore` after which no start works, or the previous data is split between two directories.
  it.each([
    ["before", /restore-moving$/],
    ["before", /restore-moving\/casella\.sqlite$/],
    ["after", /restore-moving\/casella\.sqlite$/],
    ["after", /data\/casella\.sqlite$/],
  ] as const)("are finished by the next one: killed %s the move of %s", async (when, moved) => {
    const fresh = join(root, "fresh", "data")
    const call = (file: string) => runCommand("restore", file, "--data", fresh)
    const made = async (name: string) => {
      await makeData(join(root, name), name)
      return backUp(join(root, name))
    }
    const [first, second, third] = [await made("First"), await made("Second"), await made("Third")]
    expect((await call(first)).code).toBe(0)
    expect((await withScript(killsItself(when, "rename", moved), () => call(second))).code).toBeNull()
    expect((await call(third)).stderr).toBe("")
    expect(await getOwner(fresh)).toBe("Third")
    expect(await readFile(join(fresh, "folders", "f1", "a.txt"), "utf8")).toBe("Third")
    const names = (await readdir(fresh)).filter((name) => /restore-/.test(name)).toSorted()
    expect(names.map((name) => name.replace(/\d+/, ""))).toEqual(["before-restore-", "before-restore-"])
    for (const [index, aside] of names.entries()) {
      expect(await getOwner(join(fresh, aside))).toBe(["First", "Second"][index])
      expect(await readFile(join(fresh, aside, "folders", "f1", "a.txt"), "utf8")).toBe(
        ["First", "Second"][index],
      )
    }
  })

  // Catches a directory left by an earlier version of Casella in which no start works.
  it("continue if another backup was staged during them", async () => {
    const [aside, moving] = [join(dataDir, "before-restore-1"), join(dataDir, "restore-moving")]
    await mkdir(aside)
    await makeData(moving, "Between")
    await rename(join(dataDir, "folders"), join(aside, "folders"))
    expect(await applyStagedRestore(dataDir, silentLogger)).toMatch(/^before-restore-\d+$/)
    await expectRestored()
  })

  it("run once", async () => {
    expect(await applyStagedRestore(dataDir, silentLogger)).toMatch(/^before-restore-\d+$/)
    expect(await applyStagedRestore(dataDir, silentLogger)).toBeNull()
    await expectRestored()
  })
})

// Catches a restored document that is empty after a power cut, because only its name was on the disk.
it("A staged backup is on the disk before it gets its name", { tags: "linux" }, async () => {
  await makeData(join(root, "elsewhere"), "Restored")
  const file = await backUp(join(root, "elsewhere"))
  await using handle = await open(file)
  const sync = vi.spyOn(Object.getPrototypeOf(handle) as FileHandle, "sync")
  const synced = new Set<string>()
  sync.mockImplementation(async function (this: FileHandle) {
    synced.add(await readlink(`/proc/self/fd/${this.fd}`))
  })
  await stageRestore({ ...job(), file })
  sync.mockRestore()
  const names = await readdir(join(dataDir, "restore-ready"), { recursive: true })
  expect(names).toContain("folders/f1/a.txt")
  for (const name of ["", ...names])
    expect([...synced].map((path) => path.replace(/^.*\/restore-[\w-]+\/?/, ""))).toContain(name)
})

describe("A backup of a running server", () => {
  // Catches a document that is deleted during a backup and makes the whole backup fail.
  it("contains the files as they were when it collected them", async () => {
    await makeData(dataDir, "Kept")
    const file = await backUp(dataDir, () =>
      rmSync(join(dataDir, "folders"), { recursive: true, force: true }),
    )
    const otherDirectory = join(root, "elsewhere")
    await mkdir(otherDirectory)
    await stageRestore({
      file,
      dataDir: otherDirectory,
      stagingRoot: otherDirectory,
      checker,
      adoption: databaseAdoption,
    })
    await applyStagedRestore(otherDirectory, silentLogger)
    expect(await readFile(join(otherDirectory, "folders", "f1", "a.txt"), "utf8")).toBe("Kept")
  })

  // Catches someone's own file that is replaced because it got the backup's name while the backup was written.
  it("keeps a file that took its name while it was written, on any disk", async () => {
    await makeData(dataDir, "Kept")
    const directories = [root, ...(existsSync("/dev/shm") ? [await mkdtemp("/dev/shm/casella-backup-")] : [])]
    for (const base of directories) {
      const target = join(base, "backup.tgz")
      const mine = () => writeFileSync(target, "mine")
      await using database = openSqlite(join(dataDir, "casella.sqlite"))
      const writing = writeBackup({ ...job(), copyDatabase: database.copyTo, target, onProgress: mine })
      await expect(writing).rejects.toMatchObject({ code: "conflict" })
      expect(await readFile(target, "utf8")).toBe("mine")
      expect((await readdir(base)).filter((name) => name !== "data")).toEqual(["backup.tgz"])
      await rm(base === root ? target : base, { recursive: true })
    }
  })

  it("stops when it is cancelled, and leaves nothing", async () => {
    await makeData(dataDir, "Kept")
    const stop = new AbortController()
    await using database = openSqlite(join(dataDir, "casella.sqlite"))
    const target = join(root, "stopped.tgz")
    const stopped = { ...job(), copyDatabase: database.copyTo, target }
    await expect(
      writeBackup({ ...stopped, signal: stop.signal, onProgress: () => stop.abort() }),
    ).rejects.toMatchObject({ name: "AbortError" })
    expect(existsSync(target) || existsSync(`${target}.partial`)).toBe(false)
  })
})

const hostileFolder = {
  id: "../..",
  name: "Hostile",
  description: "",
  path: "/",
  managed: 1,
  device: null,
  topK: 8,
  filter: 0,
  strategy: "hybrid",
  pipeline: "full",
  visibility: "PRIVATE",
  iconName: null,
  accentColor: null,
  paused: 0,
  removed: 0,
  chatId: null,
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:00.000Z",
} as const

function change(directory: string, sql: string): Promise<void> {
  const sqlite = new SqliteDatabase(join(directory, "casella.sqlite"))
  sqlite.exec(sql)
  sqlite.close()
  return Promise.resolve()
}

describe("Local-only after a restore", () => {
  const setLocalOnly = (directory: string, on: boolean) =>
    change(directory, `INSERT OR REPLACE INTO settings VALUES ('localOnly', '${on}')`)
  async function restore(isOnInBackup: boolean): Promise<unknown> {
    const otherDirectory = join(root, "elsewhere")
    await makeData(otherDirectory, "Restored")
    await setLocalOnly(otherDirectory, isOnInBackup)
    await stageRestore({ ...job(), file: await backUp(otherDirectory) })
    await applyStagedRestore(dataDir, silentLogger)
    expect(await getOwner(dataDir)).toBe("Restored")
    const sqlite = new SqliteDatabase(join(dataDir, "casella.sqlite"), { readonly: true })
    const value = sqlite.prepare("SELECT value FROM settings WHERE key = 'localOnly'").pluck().get()
    sqlite.close()
    return value
  }

  // Catches a backup that lets Casella connect to other computers although its owner has forbidden that.
  it.each([
    [true, false, "true"],
    [false, true, "true"],
    [false, false, "false"],
  ])(
    "is on if it is %s in the replaced data and %s in the backup: %s",
    async (isOn, isOnInBackup, expected) => {
      await makeData(dataDir, "Present")
      await setLocalOnly(dataDir, isOn)
      expect(await restore(isOnInBackup)).toBe(expected)
    },
  )

  it("is as in the backup if no data is replaced", async () => {
    expect(await restore(false)).toBe("false")
  })

  it("is on if the replaced database can't be read", async () => {
    await writeFile(join(dataDir, "casella.sqlite"), "x".repeat(9_000))
    expect(await restore(false)).toBe("true")
  })
})

describe("A backup that a different version checked", () => {
  beforeEach(async () => {
    await makeData(dataDir, "Present")
    const otherDirectory = join(root, "elsewhere")
    await makeData(otherDirectory, "Restored")
    await stageRestore({ ...job(), file: await backUp(otherDirectory) })
  })
  const summary = () => join(dataDir, "restore-ready", "restore.json")
  const readSummary = async () => JSON.parse(await readFile(summary(), "utf8")) as { stagedAt: string }

  // Catches an update between the check and the start, after which items are restored that the new version would hold or refuse.
  it.each([undefined, "0.0.1"])("isn't used: %s", async (checkedBy) => {
    await writeFile(summary(), JSON.stringify({ ...(await readSummary()), checkedBy }))
    expect(await applyStagedRestore(dataDir, silentLogger)).toBeNull()
    expect(await getOwner(dataDir)).toBe("Present")
  })

  // Catches a data directory without a database because of an update while data was being moved.
  it("is used if its restore had started to move data", async () => {
    const { stagedAt, ...staged } = await readSummary()
    await writeFile(summary(), JSON.stringify({ ...staged, stagedAt, checkedBy: "0.0.1" }))
    const aside = join(dataDir, `before-restore-${Date.parse(stagedAt)}`)
    await mkdir(aside)
    await rename(join(dataDir, "casella.sqlite"), join(aside, "casella.sqlite"))
    await applyStagedRestore(dataDir, silentLogger)
    expect(await getOwner(dataDir)).toBe("Restored")
    expect(await getOwner(aside)).toBe("Present")
  })
})

describe("A hostile archive", () => {
  const refused = async (file: string) => {
    await expect(stageRestore({ ...job(), file })).rejects.toMatchObject({ code: "unprocessable" })
    expect(existsSync(join(dataDir, "restore-ready"))).toBe(false)
  }

  it("is told apart from a valid one", async () => {
    const file = await archive(() => Promise.resolve())
    expect(await stageRestore({ ...job(), file })).toMatchObject({ people: 1 })
  })

  // Catches a document that gives access to every file on this computer.
  it.each([
    ["a link to a file outside", (to: string) => symlink("/etc/passwd", join(to, "folders", "f1", "b.txt"))],
    ["a link to a directory outside", (to: string) => symlink("/etc", join(to, "folders", "f2"))],
    ["other files of a data directory", (to: string) => writeFile(join(to, "box.json"), "{}")],
    ["a marker of a restore", (to: string) => writeFile(join(to, "restore.json"), "{}")],
    ["no database", (to: string) => rm(join(to, "casella.sqlite"))],
    ["a damaged database", (to: string) => writeFile(join(to, "casella.sqlite"), "x".repeat(9_000))],
    [
      "a folder whose directory would be another one",
      async (to: string) => {
        await using database = openSqlite(join(to, "casella.sqlite"))
        const { id: ownerId } = await createPeople(database.db).localOwner()
        await database.db
          .insertInto("folders")
          .values({ ...hostileFolder, ownerId })
          .execute()
      },
    ],
    [
      "a folder that is neither the box's nor followed",
      async (to: string) => {
        await using database = openSqlite(join(to, "casella.sqlite"))
        const { id: ownerId } = await createPeople(database.db).localOwner()
        await database.db
          .insertInto("folders")
          .values({ ...hostileFolder, id: "f2", managed: 2, ownerId })
          .execute()
      },
    ],
    [
      "a view in the place of a table",
      (to: string) => change(to, "DROP TABLE egress; CREATE VIEW egress AS SELECT * FROM users"),
    ],
    [
      "a table of which a column is computed",
      (to: string) =>
        change(
          to,
          "DROP TABLE readNoteFiles; CREATE TABLE readNoteFiles (fileId TEXT, noteId INTEGER AS (length(fileId)))",
        ),
    ],
    ["a table missing", (to: string) => change(to, "DROP TABLE egress")],
    [
      "values of another type",
      (to: string) => change(to, "DROP TABLE egress; CREATE TABLE egress AS SELECT * FROM users"),
    ],
    ["no users", (to: string) => change(to, "DELETE FROM users")],
  ])("with %s is refused", async (_, fill) => refused(await archive(fill)))

  // Catches an archive that writes to any location.
  it.each(["../escaped.txt", "folders/../../escaped.txt", "/tmp/casella-escaped.txt"])(
    "that writes to %s is refused",
    async (path) => {
      const body = Buffer.from("escaped")
      const header = new Header({ path, size: body.length, type: "File", mode: 0o644 })
      header.encode()
      const file = join(root, "escape.tar")
      const padding = Buffer.alloc(512 - body.length)
      await writeFile(
        file,
        Buffer.concat([header.block ?? Buffer.alloc(0), body, padding, Buffer.alloc(1024)]),
      )
      await refused(file)
      expect(existsSync(join(staging, "..", "escaped.txt")) || existsSync("/tmp/casella-escaped.txt")).toBe(
        false,
      )
    },
  )

  // Catches a program in the backup that runs as the owner of its file, or a file that belongs to someone else.
  it("gives its files neither execute permissions nor their owners", { tags: "unix" }, async () => {
    const directory = await mkdtemp(join(root, "hostile-"))
    await makeData(directory, "Hostile")
    await chmod(join(directory, "folders", "f1", "a.txt"), 0o6755)
    const file = `${directory}.tgz`
    const onWriteEntry = ({ stat }: { stat?: { uid: number } }) => {
      if (stat) stat.uid = 12_345
    }
    await create({ file, cwd: directory, gzip: true, onWriteEntry }, await readdir(directory))
    await stageRestore({ ...job(), file })
    const { mode, uid } = await stat(join(dataDir, "restore-ready", "folders", "f1", "a.txt"))
    expect([mode & 0o7777, uid]).toEqual([0o644, process.getuid?.()])
  })

  it("from a newer version of Casella is reported as such", async () => {
    const file = await archive((to) => change(to, "PRAGMA user_version = 9999"))
    await expect(stageRestore({ ...job(), file })).rejects.toThrow("newer version of Casella")
  })

  // Catches a backup that runs programs or calls servers because it claims that a person agreed, or because its rows can be read in two
  // ways.
  it("connects no program or server without the consent of someone on this computer", async () => {
    const file = await archive(async (to) => {
      await using database = openSqlite(join(to, "casella.sqlite"))
      const { id: ownerId } = await createPeople(database.db).localOwner()
      const row = {
        ownerId,
        signedOut: 0,
        approved: "[]",
        offer: '{"definitions":[],"refused":[]}',
        readTools: "[]",
        offTools: "[]",
        linkedAt: "2026-01-01T00:00:00.000Z",
        createdAt: "2026-01-01T00:00:00.000Z",
      }
      const command = JSON.stringify({ kind: "command", command: "sh", args: ["-c", "true"] })
      const address = JSON.stringify({ kind: "http", url: "https://example.com/mcp" })
      const both = `${address.slice(0, -1)},${command.slice(1)}`
      await database.db
        .insertInto("toolServers")
        .values([
          { ...row, key: "mcp_program", name: "Program", target: command },
          { ...row, key: "mcp_address", name: "Address", target: address },
          { ...row, key: "mcp_both", name: "Both", target: both },
        ])
        .execute()
    })
    await stageRestore({ ...job(), file })
    await applyStagedRestore(dataDir, silentLogger)
    await using database = openSqlite(join(dataDir, "casella.sqlite"))
    const linked = await database.db.selectFrom("toolServers").select(["key", "linkedAt"]).execute()
    expect(linked.toSorted((one, other) => one.key.localeCompare(other.key))).toEqual([
      { key: "mcp_address", linkedAt: null },
      { key: "mcp_both", linkedAt: null },
      { key: "mcp_program", linkedAt: null },
    ])
  })

  // Catches a chat that blocks the whole server when it is opened.
  it("lets no message be its own ancestor", async () => {
    const file = await archive(async (to) => {
      await using database = openSqlite(join(to, "casella.sqlite"))
      const { id: ownerId } = await createPeople(database.db).localOwner()
      const at = "2026-01-01T00:00:00.000Z"
      const conversation = {
        ownerId,
        id: "c",
        title: "",
        foldedTitle: "",
        origin: "API",
        projectId: null,
      } as const
      await database.db
        .insertInto("conversations")
        .values({
          ...conversation,
          vectorIds: "[]",
          headId: "b",
          messageCount: 2,
          streamStatus: "completed",
          createdAt: at,
          updatedAt: at,
        })
        .execute()
      const row = {
        ownerId,
        conversationId: "c",
        role: "user",
        content: "x",
        parts: "[]",
        createdAt: at,
      } as const
      await database.db
        .insertInto("messages")
        .values([
          { ...row, id: "a", parentId: null, depth: 0 },
          { ...row, id: "b", parentId: "a", depth: 1 },
        ])
        .execute()
      await database.db.updateTable("messages").set({ parentId: "b" }).where("id", "=", "a").execute()
    })
    await stageRestore({ ...job(), file })
    await applyStagedRestore(dataDir, silentLogger)
    await using database = openSqlite(join(dataDir, "casella.sqlite"))
    const messages = await database.db
      .selectFrom("messages")
      .select(["id", "parentId"])
      .orderBy("id")
      .execute()
    expect(messages).toEqual([
      { id: "a", parentId: null },
      { id: "b", parentId: "a" },
    ])
  })

  // Catches sizes in a header that aren't compared with the free disk space.
  it("that would fill the disk is refused before it does", async () => {
    const header = new Header({ path: "folders/big", size: 8 * 2 ** 40, type: "File", mode: 0o644 })
    header.encode()
    const file = join(root, "big.tar")
    await writeFile(file, Buffer.concat([header.block ?? Buffer.alloc(0), Buffer.alloc(1024)]))
    await expect(stageRestore({ ...job(), file })).rejects.toMatchObject({ code: "disk_full" })
  })
})
