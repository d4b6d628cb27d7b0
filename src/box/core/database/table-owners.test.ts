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
  /** The feature whose it is. */
  feature: string
  text: string
}

/** All that features are made of but their tests. */
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

/** Words of what is asked in SQL itself, by Kysely or not. */
const sqlWords = (text: string): string[] =>
  [...text.matchAll(/\bsql(?:<[^`]*?>)?`([^`]*)`|\bprepare\(\s*["`]([^"`]*)["`]/g)].flatMap(
    ([, inKysely, inSqlite]) => (inKysely ?? inSqlite ?? "").match(/\w+/g) ?? [],
  )

/** What the code of a feature names that isn't its own. */
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

// Would catch: a feature that reads or writes a table that another one answers for, past its checks.
it("lets each feature name its own tables only", () => {
  expect(sources().flatMap(foreign)).toEqual([])
})

// Would catch: a check that looks for what nobody writes any more.
it("finds foreign tables in SQL and in types", () => {
  const found = (text: string) => foreign({ path: "files/a.ts", feature: "files", text })
  expect(found("sql`SELECT 1 FROM files JOIN folders`")).toEqual(["files/a.ts: folders"])
  expect(found("sql<{ id: string }>`DELETE FROM messages`")).toEqual(["files/a.ts: messages"])
  expect(found('sqlite.prepare("SELECT id FROM folders")')).toEqual(["files/a.ts: folders"])
  expect(found('const a: DbOf<"folders">')).toEqual(['files/a.ts: "folders"'])
  expect(found('import type { Database } from "../../core/database/database.ts"')).toHaveLength(1)
  expect(found('const a: DbOf<"files"> = sql`SELECT 1 FROM passages`')).toEqual([])
})

// Would catch: a new table that nobody answers for.
it("knows whose each table of the database is", async () => {
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
