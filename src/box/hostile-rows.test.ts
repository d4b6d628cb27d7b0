import { once } from "node:events"
import { readFileSync } from "node:fs"
import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import SqliteDatabase from "better-sqlite3"
import { create } from "tar"
import { afterAll, beforeAll, expect, it } from "vitest"
import { createClient, type Client } from "../shared/client/http-client.ts"
import { databaseAdoption } from "./compose/adopt-database.ts"
import { spawnNodeChild } from "./core/children/child.ts"
import { enumeratedColumns } from "./core/database/enumerated-columns.ts"
import { createDatabaseChecker } from "./core/database/sqlite/integrity/check-database.ts"
import { silentLogger } from "./core/logging/logger.ts"
import { applyStagedRestore } from "./features/storage/apply-restore.ts"
import { stageRestore } from "./features/storage/staged-restore.ts"
import { databasePath } from "./start/open-data.ts"
import { signIn, type AppSession } from "./testing/clients.ts"
import { startModelServer } from "./testing/model-servers/model-server.ts"
import { makeWorld, worldModel } from "./testing/owned-world.ts"
import { startTestBox, type TestBox } from "./testing/test-box.ts"

// Restores an altered copy of a user's own backup into its original data directory, whose tokens survive the restore. Each enumerated
// column and each column that may reference something else has a wrong value.

const stack = new AsyncDisposableStack()
const canary = "heron"
const wrong = "no value of any column"
const token = "token-of-the-good-server"
let box: TestBox
let session: AppSession
let inApp: Client
let ids: Record<string, string>
/** Authorization headers received by the server at the altered address. */
const given: (string | undefined)[] = []
/** Altered columns that had rows in the backup. */
const altered: { table: string; column: string }[] = []

beforeAll(async () => {
  const root = await realpath(await mkdtemp(join(tmpdir(), "casella-rows-")))
  stack.defer(() => rm(root, { recursive: true, force: true }))
  const server = createServer((request, response) => {
    if (request.url?.startsWith("/evil")) given.push(request.headers.authorization)
    response.writeHead(404).end()
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  stack.defer(() => void server.close())
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const model = stack.use(await startModelServer(worldModel(canary)))
  const dataDir = join(root, "data")
  box = stack.use(await startTestBox({ model: model.baseUrl, dataDir, authUrl: "http://127.0.0.1:9" }))
  ids = await makeWorld(box, canary)
  const target = { kind: "http" as const, url: `${address}/good` }
  await box.client.integrations.add({ body: { name: "Bank", target, token } })
  await box.restart({}, async () => {
    const archive = await writeAlteredBackup(root, dataDir, `${address}/evil`)
    {
      await using checker = createDatabaseChecker(spawnNodeChild)
      const stagingRoot = join(dataDir, "uploads")
      await mkdir(stagingRoot, { recursive: true })
      await stageRestore({ file: archive, dataDir, stagingRoot, checker, adoption: databaseAdoption })
    }
    await applyStagedRestore(dataDir, silentLogger)
  })
  session = await signIn(box.url, await box.box.signInToken())
  inApp = createClient({ baseUrl: box.url, headers: session })
})

afterAll(() => stack.disposeAsync())

async function writeAlteredBackup(root: string, dataDir: string, address: string): Promise<string> {
  const copy = join(root, "copy")
  await mkdir(copy)
  const own = new SqliteDatabase(databasePath(dataDir), { readonly: true })
  await own.backup(databasePath(copy))
  own.close()
  const sqlite = new SqliteDatabase(databasePath(copy))
  sqlite.pragma("foreign_keys = OFF")
  sqlite.pragma("journal_mode = DELETE")
  const triggers = sqlite.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").pluck().all()
  for (const name of triggers as string[]) sqlite.exec(`DROP TRIGGER "${name}"`)
  sqlite
    .prepare("UPDATE toolServers SET target = ?, linkedAt = createdAt, readTools = ? WHERE key = 'mcp_bank'")
    .run(JSON.stringify({ kind: "http", url: address }), JSON.stringify(["transfer"]))
  sqlite.prepare("UPDATE notifications SET sender = '{'").run()
  sqlite.prepare("UPDATE questions SET choices = '{', expiresAt = 'x'").run()
  sqlite.prepare("UPDATE supportTickets SET state = 'unsure', nextAttemptAt = 'x'").run()
  for (const [table, columns] of Object.entries(enumeratedColumns))
    for (const column of Object.keys(columns)) {
      if (kept.has(`${table}.${column}`)) continue
      const { changes } = sqlite
        .prepare(`UPDATE OR IGNORE "${table}" SET "${column}" = ? WHERE "${column}" IS NOT NULL`)
        .run(wrong)
      if (changes > 0) altered.push({ table, column })
    }
  for (const value of ["", "x".repeat(1_000)]) alterIds(sqlite, value)
  alterLists(sqlite)
  const { MAX_SAFE_INTEGER: max } = Number
  const use = sqlite.prepare("INSERT INTO dailyUse (userId, day, answers, tokens) VALUES (?, ?, -1, ?)")
  for (const at of [Date.now(), Date.now() + 86_400_000])
    use.run(ids.user, new Date(at).toISOString().slice(0, 10), max)
  const limit = sqlite.prepare(
    "INSERT INTO quotas (kind, id, files, bytes, answers, tokens) VALUES (?, ?, ?, ?, ?, ?)",
  )
  limit.run("everybody", "", -1, max, null, null)
  limit.run("person", ids.user, -5, max, -1, 7)
  sqlite.close()
  const archive = join(root, "altered.tgz")
  await create({ file: archive, cwd: copy, gzip: true }, ["casella.sqlite"])
  return archive
}
/** Writes a value into half of the nullable columns that reference something else. */
function alterIds(sqlite: SqliteDatabase.Database, value: string): void {
  const columns = sqlite
    .prepare(
      `SELECT t.name AS "table", c.name AS "column" FROM pragma_table_list t, pragma_table_info(t.name) c
       WHERE t.schema = 'main' AND t.type = 'table' AND c.type = 'TEXT' AND c.name LIKE '%Id' AND NOT c."notnull" AND NOT c.pk`,
    )
    .all() as { table: string; column: string }[]
  for (const { table, column } of columns) {
    if (column === "chatId" && table === "folders") continue // Belongs to another test.
    const isHalf = value === "" ? "rowid % 2 = 0" : "rowid % 2 = 1"
    sqlite.prepare(`UPDATE OR IGNORE "${table}" SET "${column}" = ? WHERE ${isHalf}`).run(value)
  }
}
/** Adds invalid ids to all lists of ids. */
function alterLists(sqlite: SqliteDatabase.Database): void {
  const columns = sqlite
    .prepare(
      `SELECT t.name AS "table", c.name AS "column" FROM pragma_table_list t, pragma_table_info(t.name) c
       WHERE t.schema = 'main' AND t.type = 'table' AND c.type = 'TEXT' AND (c.name LIKE '%Ids' OR t.name = 'queuedQuestions' AND c.name = 'attachments')`,
    )
    .all() as { table: string; column: string }[]
  const added = JSON.stringify(["", "x".repeat(1_000)])
  for (const { table, column } of columns)
    sqlite
      .prepare(
        `UPDATE "${table}" SET "${column}" =
           (SELECT json_group_array(value) FROM (SELECT value FROM json_each(coalesce("${column}", '[]')) UNION ALL SELECT value FROM json_each(?)))`,
      )
      .run(added)
}

/** Kept, because without an owner no one could request the pages, and another test covers the report's state. */
const kept = new Set(["memberships.role", "supportTickets.state"])

/** Returns the addresses of all GET endpoints for items that exist. */
function pages(): string[] {
  const { paths } = JSON.parse(readFileSync("openapi.json", "utf8")) as { paths: Record<string, object> }
  const values: Record<string, (string | undefined)[]> = {
    id: Object.values(ids),
    fileId: [ids.file, ids.madeFile],
    messageId: [ids.citedMessage],
    chatId: [ids.citedChat, ids.waitingChat],
    key: [ids.server],
    passageId: [ids.passage],
  }
  return Object.entries(paths).flatMap(([path, methods]) => {
    if (!("get" in methods) || path.includes("stream")) return []
    return Object.entries(values)
      .reduce(
        (addresses, [name, texts]) =>
          addresses.flatMap((one) =>
            one.includes(`{${name}}`)
              ? texts.map((text) => one.replace(`{${name}}`, encodeURIComponent(text ?? "")))
              : [one],
          ),
        [path],
      )
      .filter((address) => !address.includes("{"))
  })
}

// Catches a list that permanently returns 500 because of one row of a backup.
it("answers every page despite a wrong value in each enumerated column and optional id", async () => {
  expect(altered.length).toBeGreaterThan(25)
  const failed: string[] = []
  for (const page of pages()) {
    const answer = await fetch(box.url + page, { headers: session })
    await answer.body?.cancel()
    if (answer.status >= 500) failed.push(`${answer.status} ${page}`)
  }
  expect(failed).toEqual([])
})

// Catches an unexpected value in a column that no page shows.
it("has only known values in enumerated columns", () => {
  const sqlite = new SqliteDatabase(databasePath(box.dataDir), { readonly: true })
  const left = altered.filter(
    ({ table, column }) =>
      sqlite.prepare(`SELECT 1 FROM "${table}" WHERE "${column}" = ?`).get(wrong) !== undefined,
  )
  sqlite.close()
  expect(left).toEqual([])
})

// Catches a wrong value that makes something public.
it("keeps items with a wrong visibility private", async () => {
  const { vector } = await inApp.folders.read({ params: { id: ids.folder ?? "" } })
  expect(vector).toMatchObject({ visibility: "PRIVATE", remote: "never" })
  const { assistant } = await inApp.assistants.read({ params: { id: ids.assistant ?? "" } })
  expect(assistant).toMatchObject({ visibility: "PRIVATE", permissionMode: "ask" })
})

// Catches limits and usage that no one can have set or reached, and whose sum isn't a safe integer.
it("has no impossible limits or usage", async () => {
  const { people, default: everybody } = await inApp.quotas.list()
  const none = { files: null, bytes: null, answers: null, tokens: null }
  expect(everybody).toEqual(none)
  const own = people.find(({ id }) => id === ids.user)
  expect(own?.limits).toEqual({ ...none, answers: "unlimited", tokens: 7 })
  expect(own?.use).toMatchObject({ answers: 0, tokens: 0 })
})

// Catches a report that is sent in a user's name because a backup contains it.
it("sends no report by itself, and lets its author send it again", async () => {
  const params = { id: ids.report ?? "" }
  const stored = (await inApp.support.read({ params })).ticket
  expect(stored).toMatchObject({ state: "refused", nextAttemptAt: null, problem: { code: "restored" } })
  expect((await inApp.support.retry({ params })).ticket.state).toBe("waiting")
})

// Catches this computer's token sent to the address that a backup names for its server.
it("gives a turned-on MCP server no token of another address, and keeps no tool marks", async () => {
  const params = { key: "mcp_bank" }
  const before = (await inApp.integrations.read({ params })).integration
  expect(before).toMatchObject({
    hasToken: false,
    target: { url: expect.stringContaining("/evil") as string },
  })
  const item = (await inApp.storage.held()).items.find(({ name }) => name === "Bank")
  if (!item) throw new Error("The server isn't held.")
  await inApp.storage.decideHeld({ body: { ...item, decision: "turn_on" } })
  await inApp.integrations.check({ params })
  expect(given.length).toBeGreaterThan(0)
  expect(given.filter((header) => header !== undefined)).toEqual([])
  const sqlite = new SqliteDatabase(databasePath(box.dataDir), { readonly: true })
  const readTools = sqlite.prepare("SELECT readTools FROM toolServers WHERE key = 'mcp_bank'").pluck().get()
  sqlite.close()
  expect(readTools).toBe("[]")
})
