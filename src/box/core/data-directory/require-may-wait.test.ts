import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Client } from "pg"
import { afterAll, beforeAll, expect, test } from "vitest"
import { startTestObjectStore, type TestObjectStore } from "../../../shared/testing/test-object-store.ts"
import { startTestPostgres, type TestPostgres } from "../../../shared/testing/test-postgres.ts"
import { createBoxValues } from "../database/box-values.ts"
import type { OpenDatabase } from "../database/database.ts"
import { openPostgres } from "../database/postgres/open-postgres.ts"
import { instanceOf, own } from "../database/postgres/server-database.ts"
import { silentLogger } from "../logging/logger.ts"
import { openSecretRows } from "../secret-rows.ts"
import { openSecretFile } from "../secret-store.ts"
import { requireStandbyPossible } from "./require-may-wait.ts"
import { noteShared, sharedPublicUrl, type Shared } from "./database-location.ts"

let server: TestPostgres
let store: TestObjectStore
let directory: string
let url: string
const shared: Shared = {
  files: "s3://casella-test/team",
  secretsKey: Buffer.alloc(32, 7),
  publicUrl: "https://casella.example",
}

beforeAll(async () => {
  server = startTestPostgres()
  store = await startTestObjectStore()
  directory = await mkdtemp(join(tmpdir(), "casella-may-wait-"))
  url = await server.createDatabase()
  await using database = await openPostgres(url)
  await start(database, "team")
})
afterAll(async () => {
  await store[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
  await rm(directory, { recursive: true })
})

/** Stores the values that a box stores while it starts. */
async function start({ db }: OpenDatabase, prefix: string) {
  const values = createBoxValues(db)
  await own(db, "first")
  const file = openSecretFile(join(directory, `${prefix}.json`), silentLogger)
  await openSecretRows(values, shared.secretsKey, file)
  const note = { owner: "first", database: await instanceOf(db) }
  store.objects.set(`${prefix}/casella.json`, Buffer.from(JSON.stringify(note)))
  await noteShared(values, shared)
}

const ask = (changes: Partial<Shared> = {}, location = store.at("team"), at = url) =>
  requireStandbyPossible(
    directory,
    at,
    { ...shared, ...changes },
    { stores: [location], logger: silentLogger },
  )
async function change(statement: string) {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(statement)
  await client.end()
}

// Catches a box that waits and fails only when it is needed.
test("reports at once that a box couldn't take over", async () => {
  await ask()
  await expect(ask({ files: "s3://other" })).rejects.toThrow("has its files at s3://casella-test/team")
  await expect(ask({ secretsKey: Buffer.alloc(32, 8) })).rejects.toThrow("isn't the key with which")
  await expect(ask({ publicUrl: "https://other.example" })).rejects.toThrow("--public-url")
  await expect(ask({ publicUrl: null })).rejects.toThrow("https://casella.example")
  const wrong = { accessKeyId: "wrong", secretAccessKey: "wrong" }
  await expect(ask({}, { ...store.at("team"), credentials: wrong })).rejects.toThrow("refuses access to s3:")
  await change(`UPDATE "schemaVersion" SET version = version + 1`)
  await expect(ask()).rejects.toThrow("newer version of Casella")
  await change(`UPDATE "schemaVersion" SET version = version - 1`)
})

// Catches boxes that start together on an empty database, where all but one refuse for a wrong reason.
test("waits for a box that starts for the first time", async () => {
  const empty = await server.createDatabase()
  const asking = ask({}, store.at("first"), empty)
  await using database = await openPostgres(empty)
  await start(database, "first")
  await asking
})

// Catches a read-only key with which a box would take over and then be unable to store anything.
test("refuses a read-only store, but not an unreachable one", async () => {
  store.fault = (method) => (method === "PUT" ? { status: 403, code: "AccessDenied" } : undefined)
  await expect(ask()).rejects.toThrow("refuses access")
  store.fault = () => ({ status: 503, code: "SlowDown" })
  await ask()
  store.fault = null
})

// Catches a newer box that refuses to wait for an older one because the older one stored no public address.
test("waits for a box that stored no public address", async () => {
  await change(`DELETE FROM settings WHERE key = '${sharedPublicUrl}'`)
  await ask({ publicUrl: null })
  await change(`INSERT INTO settings VALUES ('${sharedPublicUrl}', '')`)
  await expect(ask()).rejects.toThrow("has no public address")
  await change(`UPDATE settings SET value = 'https://casella.example' WHERE key = '${sharedPublicUrl}'`)
})

// Catches a copy of a database that is mistaken for the original, and a database user who sees another identity.
test("gives a database and its copies different identities for every caller", async () => {
  const copy = await server.createDatabase(url)
  await expect(ask({}, store.at("team"), copy)).rejects.toThrow("is a copy of it")
  await change("CREATE ROLE casella LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO casella")
  await ask({}, store.at("team"), url.replace("test@", "casella@"))
})
