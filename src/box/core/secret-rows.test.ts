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

// Catches secrets that are lost on the way into the rows, stay in the file, or can be read in the rows.
test("what was in the file is in the rows from then on, sealed", async () => {
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

// Catches a start that was cut off, after which an older value takes the place of a newer one.
test("a value in the rows stands before one that the file still has", async () => {
  await (await open()).set("search", "new")
  await file().set("search", "old")
  expect(await (await open()).get("search")).toBe("new")
})

// Catches a box that goes on without its keys and tokens, and then forgets to what they belong.
test("another key is refused", async () => {
  await (await open()).set("search", "value")
  await expect(open(Buffer.alloc(32, 2))).rejects.toBeInstanceOf(DatabaseUnusable)
})

// Catches whoever can write rows and has one secret sent where another goes, such as a key to their own server.
test("a sealed value that was given another name, or changed, is none", async () => {
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

// Catches a backup that takes tokens along, and one that asks for the key of the box that made it.
test("forgotten ones leave nothing, and another key can be used", async () => {
  await (await open()).set("search", "value")
  await forgetSecretRows(values)
  expect(await values.all()).toEqual([])
  expect(await (await open(Buffer.alloc(32, 2))).names()).toEqual([])
})
