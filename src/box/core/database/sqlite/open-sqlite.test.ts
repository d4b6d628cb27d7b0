import { existsSync } from "node:fs"
import { mkdtemp, readdir, rm, truncate, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import SqliteDatabase from "better-sqlite3"
import { sql } from "kysely"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { DatabaseUnusable } from "../database.ts"
import { checkIntegrity, openSqlite } from "./open-sqlite.ts"
import { migrations } from "../migrations/registry.ts"

let directory: string
let path: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "casella-database-"))
  path = join(directory, "casella.sqlite")
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const pragma = async (name: string) => {
  await using database = openSqlite(path)
  const { rows } = await sql.raw<Record<string, unknown>>(`PRAGMA ${name}`).execute(database.db)
  return Object.values(rows[0] ?? {})[0]
}
const version = () => {
  const sqlite = new SqliteDatabase(path)
  const found = sqlite.pragma("user_version", { simple: true })
  sqlite.close()
  return found
}

describe("Durability", () => {
  // Catches a library whose default loses the last commits in a power cut.
  it("uses WAL, full synchronisation and foreign keys", async () => {
    expect(await pragma("journal_mode")).toBe("wal")
    expect(await pragma("synchronous")).toBe(2)
    expect(await pragma("foreign_keys")).toBe(1)
  })
})

describe("Migrations", () => {
  const added = { name: "extra", sql: "CREATE TABLE extra (id TEXT PRIMARY KEY) STRICT" }

  it("copy the database before they change it", async () => {
    await openSqlite(path)[Symbol.asyncDispose]()
    expect(existsSync(join(directory, "snapshots"))).toBe(false)
    await openSqlite(path, [...migrations, added])[Symbol.asyncDispose]()
    expect(version()).toBe(migrations.length + 1)
    expect(await readdir(join(directory, "snapshots"))).toEqual([`schema-${migrations.length}.sqlite`])
    const copy = new SqliteDatabase(join(directory, "snapshots", `schema-${migrations.length}.sqlite`))
    expect(copy.pragma("integrity_check", { simple: true })).toBe("ok")
    copy.close()
  })

  // Catches a data directory that is left between two schemas.
  it("change nothing when they fail", async () => {
    await openSqlite(path)[Symbol.asyncDispose]()
    const broken = {
      name: "broken",
      sql: "CREATE TABLE half (id TEXT) STRICT; INSERT INTO nowhere VALUES (1)",
    }
    expect(() => openSqlite(path, [...migrations, added, broken])).toThrow(DatabaseUnusable)
    expect(version()).toBe(migrations.length)
    await using database = openSqlite(path)
    const tables = await sql<{
      name: string
    }>`SELECT name FROM sqlite_master WHERE name IN ('half', 'extra')`.execute(database.db)
    expect(tables.rows).toEqual([])
  })

  it("of a newer Casella are refused with advice", async () => {
    await openSqlite(path, [...migrations, added])[Symbol.asyncDispose]()
    expect(() => openSqlite(path)).toThrow("newer version of Casella")
  })

  // Catches a schema of an earlier release that today's migrations can't update.
  it("update every earlier schema to the latest one", async () => {
    const getSchema = () => {
      const sqlite = new SqliteDatabase(path)
      const rows = sqlite.prepare("SELECT type, name, sql FROM sqlite_master ORDER BY name").all()
      sqlite.close()
      return rows
    }
    await openSqlite(path)[Symbol.asyncDispose]()
    const newest = getSchema()
    for (let count = 1; count < migrations.length; count++) {
      await rm(directory, { recursive: true, force: true })
      await openSqlite(path, migrations.slice(0, count))[Symbol.asyncDispose]()
      await openSqlite(path)[Symbol.asyncDispose]()
      expect(getSchema()).toEqual(newest)
    }
  })
})

describe("Files that an earlier release skipped", () => {
  // Catches an archive that is never read although this version can, and a file that its owner excluded and that is read all the same.
  it("are read again unless their owner excluded them", async () => {
    const since = migrations.findIndex(({ name }) => name === "skipped files")
    await openSqlite(path, migrations.slice(0, since))[Symbol.asyncDispose]()
    const before = new SqliteDatabase(path)
    before.exec(`
      INSERT INTO users (id, email, name, createdAt) VALUES ('o', 'o@example.org', 'O', 't');
      INSERT INTO folders (id, ownerId, name, description, path, managed, topK, filter, strategy, pipeline, visibility, paused, createdAt, updatedAt)
        VALUES ('f', 'o', 'F', '', '/f', 1, 8, 0, 'hybrid', 'full', 'PRIVATE', 0, 't', 't')`)
    const insert = before.prepare(`
      INSERT INTO files (id, folderId, name, subFolder, searchName, size, modifiedMs, identity, mimeType, storage, status, phase, progress,
        reasons, attempts, revision, priority, createdAt, updatedAt, leftOut)
      VALUES (@id, 'f', @id, '', @id, 1, 1, '', '', 'local', @status, 'done', 100, '[]', 1, 1, 1, 't', 't', @leftOut)`)
    for (const [id, status, leftOut] of [
      ["a.zip", "skipped", 0],
      ["b.txt", "skipped", 1],
      ["c.txt", "completed", 0],
    ] as const)
      insert.run({ id, status, leftOut })
    before.close()
    await openSqlite(path)[Symbol.asyncDispose]()
    const after = new SqliteDatabase(path)
    const rows = after.prepare("SELECT id, status, phase FROM files ORDER BY id").raw().all()
    after.close()
    expect(rows).toEqual([
      ["a.zip", "queued", "queued"],
      ["b.txt", "skipped", "done"],
      ["c.txt", "completed", "done"],
    ])
  })
})

describe("The folders that a chat has read", () => {
  // Catches an older chat that is sent to a remote model although it has read a folder that must stay here, and unreadable rows that
  // prevent the box from starting.
  it("are known for chats of earlier releases, including damaged ones", async () => {
    const since = migrations.findIndex(({ name }) => name === "folders that stay")
    await openSqlite(path, migrations.slice(0, since))[Symbol.asyncDispose]()
    const before = new SqliteDatabase(path)
    before.pragma("foreign_keys = OFF")
    const insertChat = (id: string, vectorIds: string, parts: string) => {
      const chat = { ownerId: "o", id, title: "", foldedTitle: "", origin: "APP", vectorIds, messageCount: 1 }
      const message = {
        id: `m${id}`,
        ownerId: "o",
        conversationId: id,
        depth: 0,
        role: "assistant",
        content: "",
      }
      const times = { createdAt: "t", updatedAt: "t", streamStatus: "completed" }
      for (const [table, row] of [
        ["conversations", { ...chat, ...times }],
        ["messages", { ...message, parts, createdAt: "t" }],
      ] as const) {
        const names = Object.keys(row)
        before
          .prepare(
            `INSERT INTO ${table} (${names.join()}) VALUES (${names.map((name) => `@${name}`).join()})`,
          )
          .run(row)
      }
    }
    insertChat("a", '["f1"]', '[{"type":"source","vectorId":"f2"},{"type":"text","text":"\\"vectorId\\""}]')
    insertChat("b", "[]", '["odd", {"type":"source","vectorId":"f3"}, 7]')
    insertChat("c", "not JSON", 'no "vectorId" here')
    insertChat("d", "[]", "[]")
    before.close()
    await openSqlite(path)[Symbol.asyncDispose]()
    const after = new SqliteDatabase(path)
    const rows = after.prepare("SELECT id, readVectorIds FROM conversations ORDER BY id").all()
    after.close()
    expect(rows).toEqual([
      { id: "a", readVectorIds: '["f1","f2"]' },
      { id: "b", readVectorIds: '["f3"]' },
      { id: "c", readVectorIds: "[]" },
      { id: "d", readVectorIds: "[]" },
    ])
  })
})

describe("Damage", () => {
  it("is found before the box serves data", async () => {
    await openSqlite(path)[Symbol.asyncDispose]()
    expect(() => checkIntegrity(path)).not.toThrow()
    await truncate(path, 8192)
    expect(() => checkIntegrity(path)).toThrow(DatabaseUnusable)
    await writeFile(path, "This is no database at all, but long enough to look at.".repeat(100))
    expect(() => checkIntegrity(path)).toThrow(DatabaseUnusable)
    expect(() => openSqlite(path)).toThrow("restore")
  })
})
