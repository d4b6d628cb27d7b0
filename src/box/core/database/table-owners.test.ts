import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import SqliteDatabase from "better-sqlite3"
import { expect, it, onTestFinished } from "vitest"
import { openSqlite } from "./sqlite/open-sqlite.ts"
import { tableOwners } from "./table-owners.ts"

const features = join(import.meta.dirname, "../../features")

interface Source {
  path: string
  /** The feature that owns the file. */
  feature: string
  text: string
}

/** Returns all sources of features except tests. */
function sources(): Source[] {
  const paths = readdirSync(features, { recursive: true, encoding: "utf8" })
  return paths
    .filter((path) => path.endsWith(".ts") && !/\.test\.ts$|testing\//.test(path))
    .map((path) => ({
      path,
      feature: path.split("/")[0] ?? "",
      text: readFileSync(join(features, path), "utf8"),
    }))
}

/** Returns the words in raw SQL, from Kysely or not. */
const sqlWords = (text: string): string[] =>
  [...text.matchAll(/\bsql(?:<[^`]*?>)?`([^`]*)`|\bprepare\(\s*["`]([^"`]*)["`]/g)].flatMap(
    ([, inKysely, inSqlite]) => (inKysely ?? inSqlite ?? "").match(/\w+/g) ?? [],
  )

/** Returns the tables that a feature's code names but doesn't own. */
function foreign({ path, feature, text }: Source): string[] {
  const owners = [...text.matchAll(/\b(?:DbOf|TransactionOf|TablesOf|ownTables)<([^>]*)>/g)]
    .map(([, owner]) => owner)
    .filter((owner) => owner !== `"${feature}"`)
  const tables = sqlWords(text).filter(
    (word) =>
      (Object.hasOwn(tableOwners, word) ? tableOwners[word as keyof typeof tableOwners] : feature) !==
      feature,
  )
  const whole = /\b(?:DatabaseSchema|type Database|Database)\b[^"\n]*from "[^"]*core\/database\//.exec(text)
  return [...owners, ...tables, ...(whole ? ["the whole database"] : [])].map((name) => `${path}: ${name}`)
}

// Catches a feature that reads or writes another feature's table and bypasses its checks.
it("lets each feature name only its own tables", () => {
  expect(sources().flatMap(foreign)).toEqual([])
})

// Catches a check that searches for syntax that isn't used any more.
it("finds other features' tables in SQL and in types", () => {
  const found = (text: string) => foreign({ path: "files/a.ts", feature: "files", text })
  expect(found("sql`SELECT 1 FROM files JOIN folders`")).toEqual(["files/a.ts: folders"])
  expect(found("sql<{ id: string }>`DELETE FROM messages`")).toEqual(["files/a.ts: messages"])
  expect(found('sqlite.prepare("SELECT id FROM folders")')).toEqual(["files/a.ts: folders"])
  expect(found('const a: DbOf<"folders">')).toEqual(['files/a.ts: "folders"'])
  expect(found('import type { Database } from "../../core/database/database.ts"')).toHaveLength(1)
  expect(found('const a: DbOf<"files"> = sql`SELECT 1 FROM passages`')).toEqual([])
})

// Catches a new table without an owner.
it("knows the owner of each table in the database", async () => {
  const directory = mkdtempSync(join(tmpdir(), "casella-tables-"))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const path = join(directory, "casella.sqlite")
  await openSqlite(path)[Symbol.asyncDispose]()
  const sqlite = new SqliteDatabase(path, { readonly: true })
  onTestFinished(() => void sqlite.close())
  const tables = sqlite.pragma("table_list") as { schema: string; name: string; type: string }[]
  const names = tables.filter(
    ({ schema, name, type }) => schema === "main" && type !== "shadow" && !name.startsWith("sqlite_"),
  )
  expect(names.map(({ name }) => name).sort()).toEqual(Object.keys(tableOwners).sort())
})
