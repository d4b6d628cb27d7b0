import { cp, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import SqliteDatabase from "better-sqlite3"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { databasePath } from "./start/open-data.ts"
import { startModelServer, type ModelServer } from "./testing/model-servers/model-server.ts"
import { makeWorld, worldModel } from "./testing/owned-world.ts"
import { startTestBox } from "./testing/test-box.ts"

let model: ModelServer
let root: string
let source: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "casella-damaged-"))
  source = join(root, "source")
  model = await startModelServer(worldModel("canary-3c40"))
  await using box = await startTestBox({ model: model.baseUrl, dataDir: join(root, "first") })
  await makeWorld(box, "canary-3c40")
  await box.box[Symbol.asyncDispose]()
  await cp(box.dataDir, source, { recursive: true })
})
afterAll(async () => {
  await model[Symbol.asyncDispose]()
  await rm(root, { recursive: true, force: true })
})

/** Every setting that the box knows, so that each of them is damaged. */
const settings = [
  "textEvent",
  "allowedHosts",
  "allowedOrigins",
  "modelMirror",
  "webSearch",
  "chatModel",
  "embeddingModel",
  "rerankModel",
  "adoptedModels",
  "remoteEmbeddingModel",
]

/**
 * Writes the same text into the columns of all rows except their primary keys, as far as the database allows it: into all columns, or only
 * where there is JSON, so that the rows are still found.
 */
function spoil(path: string, text: string, where: "everywhere" | "in JSON"): number {
  const sqlite = new SqliteDatabase(path)
  try {
    sqlite.pragma("foreign_keys = OFF")
    for (const key of settings) sqlite.prepare("INSERT OR REPLACE INTO settings VALUES (?, '[]')").run(key)
    // As if the box had crashed during its work.
    sqlite.exec(`UPDATE conversations SET streamStatus = 'active'; UPDATE approvals SET expiresAt = createdAt;
      UPDATE files SET status = 'queued', waitingPages = '{}'; UPDATE supportTickets SET state = 'sending'`)
    const tables = sqlite.pragma("table_list") as { schema: string; name: string; type: string }[]
    let spoilt = 0
    for (const { schema, name, type } of tables) {
      if (schema !== "main" || type !== "table" || name.startsWith("sqlite_")) continue
      const columns = sqlite.pragma(`table_info("${name}")`) as { name: string; type: string; pk: number }[]
      for (const column of columns.filter(({ pk }) => pk === 0)) {
        const value = { INTEGER: -1, BLOB: Buffer.from(text) }[column.type] ?? text
        const rows =
          where === "everywhere" ? "true" : `json_valid("${column.name}") AND "${column.name}" GLOB '[[{]*'`
        const update = `UPDATE OR IGNORE "${name}" SET "${column.name}" = ? WHERE ${rows}`
        try {
          spoilt += sqlite.prepare(update).run(value).changes
        } catch {
          // a trigger or constraint prevents it
        }
      }
    }
    return spoilt
  } finally {
    sqlite.close()
  }
}

const garbage = ["", "{", "null", "[]", "{}", '{"a":1}', "-1", '"/etc/passwd"', "\u0000", "🦔".repeat(1000)]

describe("A database with damaged rows", () => {
  // Catches a backup from another source after whose restore the box never starts again.
  it.each(
    (["everywhere", "in JSON"] as const).flatMap((where) =>
      garbage.map((text) => [JSON.stringify(text.slice(0, 10)), where, text] as const),
    ),
  )("doesn't keep the box from starting: %s %s", async (_, where, text) => {
    const dataDir = await mkdtemp(join(root, "case-"))
    await cp(source, dataDir, { recursive: true })
    expect(spoil(databasePath(dataDir), text, where)).toBeGreaterThan(10)
    await using box = await startTestBox({ dataDir })
    expect(await (await fetch(`${box.url}/api/health`)).json()).toMatchObject({ status: "ok" })
  })
})
