import { createHash } from "node:crypto"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import SqliteDatabase from "better-sqlite3"
import { Client } from "pg"
import { copyDatabase } from "../../../../shared/testing/test-postgres.ts"
import { copiedTables } from "../copy-rows.ts"
import type { OpenDatabase } from "../database.ts"
import { openPostgres } from "../postgres/open-postgres.ts"
import { openSqlite } from "../sqlite/open-sqlite.ts"

/** Address of an empty database on the server where tests keep their rows; unset: each test uses a file. */
const serverVariable = "CASELLA_TEST_POSTGRES"
/** A database with the latest schema; each test gets a copy. */
const template = "casella_template"

/** Makes the tests that start from now on use a server. */
export async function useTestServer(url: string): Promise<void> {
  await ask(url, (client) => client.query(`CREATE DATABASE ${template}`))
  await (await openPostgres(on(url, template)))[Symbol.asyncDispose]()
  process.env[serverVariable] = url
}

/** Opens a test's database; creates it if this path hasn't been opened yet. */
export async function openTestDatabase(path: string): Promise<OpenDatabase> {
  const url = await testDatabaseUrl(path)
  if (url !== null) return openPostgres(url)
  await writeNewDatabase(path)
  return openSqlite(path)
}

let newDatabase: Promise<Buffer> | undefined

/** Writes a database file with the latest schema and no rows, if there is no file. Copying a file is 20 times as fast as migrating. */
export async function writeNewDatabase(path: string): Promise<void> {
  if (existsSync(path)) return
  newDatabase ??= migrateNewDatabase()
  const bytes = await newDatabase
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(path, bytes)
}

async function migrateNewDatabase(): Promise<Buffer> {
  const directory = mkdtempSync(join(tmpdir(), "casella-new-database-"))
  try {
    const path = join(directory, "new.sqlite")
    await openSqlite(path)[Symbol.asyncDispose]()
    return readFileSync(path)
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/** Returns the address of the database that replaces the file at this path; null if tests use files. */
export async function testDatabaseUrl(path: string): Promise<string | null> {
  const server = process.env[serverVariable]
  if (server === undefined) return null
  const name = getName(path)
  await ask(server, async (client) => {
    const { rowCount } = await client.query("SELECT FROM pg_database WHERE datname = $1", [name])
    if (rowCount === 0) await copyDatabase(client, template, name)
  })
  return on(server, name)
}

export async function dropTestDatabase(path: string): Promise<void> {
  const server = process.env[serverVariable]
  if (server === undefined) return
  await ask(server, (client) => client.query(`DROP DATABASE IF EXISTS ${getName(path)} WITH (FORCE)`))
}

const getName = (path: string) => `test_${createHash("sha256").update(path).digest("hex").slice(0, 16)}`

function on(server: string, database: string): string {
  const url = new URL(server)
  url.pathname = `/${database}`
  return url.href
}

async function ask(server: string, question: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: server })
  await client.connect()
  try {
    await question(client)
  } finally {
    await client.end()
  }
}

/** More rows than are copied in one batch. */
export const rowsOfEach = 450

interface Column {
  name: string
  type: string
}

/** Fills every table of a database with rows that differ in every column and refer to one another. */
export function fillRows(path: string): void {
  const sqlite = new SqliteDatabase(path)
  const insertAll = sqlite.transaction(() => {
    for (const table of copiedTables) {
      const columns = sqlite.pragma(`table_info("${table}")`) as Column[]
      const keys = sqlite.pragma(`foreign_key_list("${table}")`) as {
        from: string
        table: string
        to: string
      }[]
      const insert = sqlite.prepare(
        `INSERT INTO "${table}" (${columns.map(({ name }) => `"${name}"`).join()}) VALUES (${columns.map(() => "?").join()})`,
      )
      for (let number = 1; number <= rowsOfEach; number++)
        insert.run(
          columns.map(({ name, type }) => {
            const key = keys.find(({ from }) => from === name)
            const [of, column] = key ? [key.table, key.to] : [table, name]
            if (name === "removed") return number % 2
            if (type === "INTEGER") return number
            if (type === "REAL") return number + 0.25
            if (type === "BLOB") return Buffer.from([0, 255, number >> 8, number & 255])
            return `${of} ${column === "ownerId" ? "id" : column} ${number} è 漢 \u{1f600} \0 \ufffe`.replace(
              /^\w+ id/,
              "id",
            )
          }),
        )
    }
  })
  insertAll()
  sqlite.close()
}
