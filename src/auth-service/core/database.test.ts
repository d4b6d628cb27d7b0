import { existsSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import SqliteDatabase from "better-sqlite3"
import { getMigrations } from "better-auth/db/migration"
import { afterEach, beforeEach, expect, it } from "vitest"
import { accountOptions } from "./account-options.ts"
import { openDatabase, DatabaseUnusable } from "./open-database.ts"

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "casella-auth-db-"))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const raw = (use: (sqlite: SqliteDatabase.Database) => void) => {
  const sqlite = new SqliteDatabase(join(directory, "auth.sqlite"))
  use(sqlite)
  sqlite.close()
}

// Catches an update of Better Auth that needs columns which no migration adds.
it("a new database has every table and column that Better Auth expects", async () => {
  await using database = await openDatabase(directory, null)
  const db = database.db.withTables<Record<string, never>>()
  const { toBeAdded, toBeCreated } = await getMigrations({
    ...accountOptions,
    database: { db, type: "sqlite" },
  })
  expect([toBeCreated, toBeAdded]).toEqual([[], []])
})

it("an older database is copied before its schema changes; a current one isn't", async () => {
  await (await openDatabase(directory, null))[Symbol.asyncDispose]()
  await (await openDatabase(directory, null))[Symbol.asyncDispose]()
  const copy = join(directory, "before-upgrade.sqlite")
  expect(existsSync(copy)).toBe(false)
  raw((sqlite) => {
    sqlite.exec("delete from kysely_migration where name >= '002-tickets'")
    sqlite.exec('drop table "ticketParts"; drop table tickets; drop table "dailyTickets"')
  })
  await (await openDatabase(directory, null))[Symbol.asyncDispose]()
  expect(existsSync(copy)).toBe(true)
})

// Catches a partial schema after a failed upgrade, or an older service that writes to a newer database.
it("a failed migration changes nothing, and a newer database is refused", async () => {
  await (await openDatabase(directory, null))[Symbol.asyncDispose]()
  raw((sqlite) => {
    sqlite.exec("delete from kysely_migration where name >= '002-tickets'; drop table tickets")
  })
  await expect(openDatabase(directory, null)).rejects.toThrow(DatabaseUnusable)
  raw((sqlite) => {
    expect(sqlite.prepare("select name from sqlite_master where name = 'tickets'").all()).toEqual([])
    sqlite.exec(
      "insert into kysely_migration values ('002-tickets', ''), ('003-external-ids', ''), ('999-later', '')",
    )
  })
  await expect(openDatabase(directory, null)).rejects.toThrow(DatabaseUnusable)
})
