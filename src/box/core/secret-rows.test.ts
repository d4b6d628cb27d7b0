import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { createBoxValues, type BoxValues } from "./database/box-values.ts"
import { DatabaseUnusable, type OpenDatabase } from "./database/database.ts"
import { openSqlite } from "./database/sqlite/open-sqlite.ts"
import { silentLogger } from "./logging/logger.ts"
import { forgetSecretRows, openSecretRows } from "./secret-rows.ts"
import { openSecretFile } from "./secret-store.ts"

let directory: string
let database: OpenDatabase
let values: BoxValues
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "casella-secret-rows-"))
  database = openSqlite(join(directory, "casella.sqlite"))
  values = createBoxValues(database.db)
})
afterEach(async () => {
  await database[Symbol.asyncDispose]()
  await rm(directory, { recursive: true })
})

const path = () => join(directory, "secrets.json")
const file = () => openSecretFile(path(), silentLogger)
const key = Buffer.alloc(32, 1)
const open = (with_ = key) => openSecretRows(values, with_, file())

// Catches secrets that are lost when they are moved into rows, stay in the file, or are readable in the rows.
test("moves secrets from the file into rows and encrypts them", async () => {
  await file().set("search", "first")
  await file().set("model", "second")
  const store = await open()
  await store.set("search", "third")
  await store.delete("model")
  await store.set("new", "fourth")
  const again = await open()
  expect((await again.names()).toSorted()).toEqual(["new", "search"])
  expect([await again.get("search"), await again.get("model"), await again.get("new")]).toEqual([
    "third",
    null,
    "fourth",
  ])
  expect(await readFile(path(), "utf8")).toBe("[]")
  expect(JSON.stringify(await values.all())).not.toMatch(/first|second|third|fourth/)
})

// Catches an interrupted start after which an older value replaces a newer one.
test("prefers a value in the rows to one that is still in the file", async () => {
  await (await open()).set("search", "new")
  await file().set("search", "old")
  expect(await (await open()).get("search")).toBe("new")
})

// Catches a box that continues without its keys and tokens, and then forgets what they belong to.
test("refuses another key", async () => {
  await (await open()).set("search", "value")
  await expect(open(Buffer.alloc(32, 2))).rejects.toBeInstanceOf(DatabaseUnusable)
})

// Catches an attacker who can write rows and has one secret sent in place of another, such as a key to their own server.
test("rejects an encrypted value that was renamed or changed", async () => {
  const store = await open()
  await store.set("one", "value")
  const sealed = (await values.read("secret/one")) ?? ""
  await values.write([
    { key: "secret/other", value: sealed },
    { key: "secret/short", value: "" },
    { key: "secret/changed", value: `${sealed.startsWith("A") ? "B" : "A"}${sealed.slice(1)}` },
  ])
  expect(await Promise.all(["one", "other", "short", "changed"].map(store.get))).toEqual([
    "value",
    null,
    null,
    null,
  ])
})

// Catches a backup that includes tokens, or that needs the key of the box that made it.
test("leaves nothing of forgotten secrets, and then accepts another key", async () => {
  await (await open()).set("search", "value")
  await forgetSecretRows(values)
  expect(await values.all()).toEqual([])
  expect(await (await open(Buffer.alloc(32, 2))).names()).toEqual([])
})
