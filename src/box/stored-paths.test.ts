import { mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import SqliteDatabase from "better-sqlite3"
import { expect, it } from "vitest"
import { databasePath } from "./start/open-data.ts"
import { startModelServer } from "./testing/model-servers/model-server.ts"
import { makeWorld, worldModel } from "./testing/owned-world.ts"
import { startTestBox } from "./testing/test-box.ts"

/** Files that contain their location on purpose: the marker and the log. */
const containsPaths = /^(casella\.json|logs\/.*)$/

// Catches any column, JSON or file that leads a copy of the data directory back to the original.
it("stores no path of the data directory", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "casella-own-paths-"))
  await using model = await startModelServer(worldModel("canary-71d0"))
  const box = await startTestBox({ model: model.baseUrl, dataDir })
  await makeWorld(box, "canary-71d0")
  await box.box[Symbol.asyncDispose]()
  const printed: string[] = []
  const sqlite = new SqliteDatabase(databasePath(dataDir), { readonly: true })
  const tables = sqlite
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .pluck()
    .all() as string[]
  for (const table of tables) {
    for (const row of sqlite.prepare(`SELECT * FROM "${table}"`).all() as Record<string, unknown>[]) {
      const value = JSON.stringify(row)
      if (value.includes(dataDir)) printed.push(`${table}: ${value}`)
    }
  }
  sqlite.close()
  expect(printed).toEqual([])
  for (const entry of await readdir(dataDir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const name = path.slice(dataDir.length + 1)
    if (!entry.isFile() || containsPaths.test(name)) continue
    if ((await readFile(path)).includes(dataDir)) printed.push(name)
  }
  expect(printed).toEqual([])
  await rm(dataDir, { recursive: true })
})
