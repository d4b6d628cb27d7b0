import { existsSync } from "node:fs"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import SqliteDatabase from "better-sqlite3"
import { checkIntegrity } from "../../src/box/core/database/sqlite/open-sqlite.ts"
import { indexPath, uploadsPath } from "../../src/box/core/data-layout.ts"
import { partialPrefix } from "../../src/box/core/files/durable-file.ts"
import { openLanceTable } from "../../src/box/engines/vectors/lance/lance-table.ts"
import { tablesIn } from "../../src/box/engines/vectors/tables-location.ts"
import { databasePath } from "../../src/box/start/open-data.ts"
import type { Client } from "../../src/shared/client/http-client.ts"
import { askServer, serverUrl } from "./server-faults.ts"

const pollMs = 50
const maxListed = 500

/** Waits until every file of every folder is indexed, or none was for `limitMs`. Returns one sentence for each file that isn't. */
export async function waitUntilIndexed(client: Client, limitMs: number): Promise<string[]> {
  let [fewest, deadline] = [Infinity, 0]
  for (;;) {
    const { vectors } = await client.folders.list()
    const pending = vectors.filter(({ pendingCount }) => pendingCount > 0)
    if (pending.length === 0) break
    const count = pending.reduce((sum, { pendingCount }) => sum + pendingCount, 0)
    if (count < fewest) [fewest, deadline] = [count, performance.now() + limitMs]
    if (performance.now() > deadline) {
      return pending.map(({ name, pendingCount }) => `${name}: ${pendingCount} files are still not read.`)
    }
    await pause(pollMs)
  }
  const { vectors } = await client.folders.list()
  const faults: string[] = []
  for (const { id, failedCount } of vectors) {
    if (failedCount === 0) continue
    const query = { status: "failed" as const, limit: maxListed }
    const { files } = await client.files.list({ params: { id }, query })
    faults.push(...files.map(({ name, error }) => `${name} failed: ${error ?? ""}`))
  }
  return faults
}

/** Faults in a data directory whose box stopped cleanly. After `kill -9`, the index may lag behind and be caught up. */
export async function faultsAtRest(dataDir: string): Promise<string[]> {
  return [...integrityFaults(dataDir), ...(await indexFaults(dataDir)), ...(await filesLeftOver(dataDir))]
}

export function integrityFaults(dataDir: string): string[] {
  try {
    checkIntegrity(databasePath(dataDir))
    return []
  } catch (error) {
    return [`The database isn't whole: ${String(error)}`]
  }
}

/**
 * Every passage of the database must be in the index exactly once, and nothing else. Passages of deleted files that can be restored may be
 * in it or not: searches don't find them, and restoring indexes them.
 */
async function indexFaults(dataDir: string): Promise<string[]> {
  const directory = join(indexPath(dataDir), "tables")
  const passages = await getPassages(dataDir)
  const stored = new Set(passages.filter(({ deleted }) => !deleted).map(({ id }) => id))
  if (!existsSync(directory)) return stored.size > 0 ? ["There are passages, but no index."] : []
  const indexed: string[] = []
  try {
    const table = await openLanceTable({ location: tablesIn(directory), dimensions: undefined })
    for await (const some of table.contents()) indexed.push(...some.map(({ id }) => id))
    table.close()
  } catch (error) {
    return [`The index can't be read: ${String(error)}`]
  }
  const found = new Set(indexed)
  const known = new Set(passages.map(({ id }) => id))
  const missing = [...stored].filter((id) => !found.has(id)).length
  const surplus = [...found].filter((id) => !known.has(id)).length
  return [
    ...(missing > 0 ? [`The index lacks ${missing} of ${stored.size} passages.`] : []),
    ...(surplus > 0 ? [`The index has ${surplus} passages that the database hasn't.`] : []),
    ...(found.size < indexed.length ? [`The index has ${indexed.length - found.size} passages twice.`] : []),
  ]
}

interface StoredPassage {
  id: string
  deleted: number
}

const allPassages = `SELECT passages.id, cast(folders.removed AS integer) AS deleted
  FROM passages JOIN files ON files.id = passages."fileId" JOIN folders ON folders.id = files."folderId"`

async function getPassages(dataDir: string): Promise<StoredPassage[]> {
  const url = serverUrl()
  if (url !== null) return askServer(url, allPassages)
  const database = new SqliteDatabase(databasePath(dataDir), { readonly: true })
  try {
    return database.prepare(allPassages).all() as StoredPassage[]
  } finally {
    database.close()
  }
}

/** Ignores files in `tmp/`, which each start empties. */
async function filesLeftOver(dataDir: string): Promise<string[]> {
  const inside = async (path: string) => (await readdir(path).catch(() => [])).map((name) => join(path, name))
  const everywhere = await readdir(dataDir, { recursive: true })
  const partial = everywhere.filter((path) => path.includes(partialPrefix) || path.endsWith(".new"))
  const left = [...(await inside(uploadsPath(dataDir))), ...partial]
  return left.map((path) => `A temporary file is left over: ${path}`)
}
