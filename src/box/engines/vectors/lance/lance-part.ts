import * as lancedb from "@lancedb/lancedb"
import { arrowRows, type PassageRow, tableSchema } from "./arrow-rows.ts"
import { idList } from "./filters.ts"
import { createHeldIds } from "./held-ids.ts"
import { closeUnused } from "./lance-errors.ts"
import { createPartSearch } from "../part-search.ts"
import type { OwnerColumn } from "../passage-record.ts"
import { createPartCopy } from "./part-copy.ts"
import { markForRewriting } from "./removed-rows.ts"
import type { TablesLocation } from "./tables-location.ts"
import { openVectorIndex } from "./vector-index.ts"

/** One LanceDB table. This module contains all code that knows LanceDB's API, and nothing about other parts, queues or repair. */
export type LancePart = Awaited<ReturnType<typeof openLancePart>>

/** A change needs one optimisation, and another for the versions that the first had to keep. */
const optimisationsPerChange = 2

export interface LancePartOptions {
  connection: lancedb.Connection
  /** Location of the connection's tables. */
  place: Pick<TablesLocation, "names" | "copies">
  newSession(): lancedb.Session
  name: string
  dimensions: number | undefined
  versionRetentionMs: number
}

/** Opens a table of passages, or creates it. Throws LanceDB's error if the files are damaged. */
export async function openLancePart({
  connection,
  place,
  newSession,
  name,
  dimensions,
  versionRetentionMs,
}: LancePartOptions) {
  const table = await openTable(connection, name, dimensions)
  const vectorIndex = dimensions === undefined ? null : await openVectorIndex(table)
  let rows = await table.countRows()
  let holdsGrams =
    (await table.query().where("grams IS NOT NULL").select(["id"]).limit(1).toArray()).length > 0
  /** Number of optimisations still needed. Starts at one, because it is unknown how the last run ended. */
  let due = 1
  const held = createHeldIds(table)
  /** A folder was removed, and its index data is still on disk. */
  let purging = false

  const createSearch = (read: lancedb.Table) =>
    createPartSearch({
      table: read,
      isEmbedded: dimensions !== undefined,
      partitions: () => vectorIndex?.partitions() ?? 1,
      holdsGrams: () => holdsGrams,
    })
  const stored = createSearch(table)
  const { copies } = place
  const copy = copies && createPartCopy({ table, stored, copies, newSession, createSearch })

  const changed = () => {
    due = optimisationsPerChange
  }

  const put = async (some: PassageRow[]) => {
    holdsGrams ||= some.some(({ text }) => text.grams !== null)
    const { numInsertedRows } = await table
      .mergeInsert("id")
      .whenMatchedUpdateAll()
      .whenNotMatchedInsertAll()
      .execute(arrowRows(some, dimensions))
      .finally(() => copy?.changed())
    rows += numInsertedRows
    held.changed()
    changed()
  }

  const compact = () =>
    table.optimize({ cleanupOlderThan: new Date(Date.now() - versionRetentionMs), deleteUnverified: true })

  /** Deletes removed rows from the disk. Optimising alone does so only when they make up a tenth of a file. */
  const purge = async () => {
    await markForRewriting(table, place)
    for (const column of ["words", "grams"]) {
      await table.createIndex(column, { config: keywordIndex(), replace: true })
    }
    await vectorIndex?.renew()
    await compact()
    purging = false
  }

  return {
    name,

    search: copy?.search ?? stored,

    get rows() {
      return rows
    },

    /** Adds rows, or replaces those with the same ids. */
    put,

    /** Replaces the rows whose ids this part contains. Returns the others. */
    async replace(some: PassageRow[]): Promise<PassageRow[]> {
      const known = await held.of(some.map(({ id }) => id))
      if (known.size === 0) return some
      await put(some.filter(({ id }) => known.has(id)))
      return some.filter(({ id }) => !known.has(id))
    },

    async removeBy(column: OwnerColumn | "id", ids: string[]): Promise<void> {
      const filter = `${column} IN (${idList(ids)})`
      // Deleting nothing would still create a commit.
      if ((await table.countRows(filter)) === 0) return
      const { numDeletedRows } = await table.delete(filter).finally(() => copy?.changed())
      rows -= numDeletedRows
      purging ||= column === "vectorId"
      changed()
    },

    /**
     * Call this after a change. It adds new rows to the indices, merges small files, deletes versions that no running search can need, and
     * deletes removed folders from the disk.
     */
    async optimize(): Promise<void> {
      if (due === 0) return
      try {
        if (purging) await purge()
        else {
          await vectorIndex?.train()
          await compact()
        }
      } finally {
        copy?.changed()
      }
      due--
    },

    /** Call this when the table is deleted. */
    dropCopy(): void {
      copy?.close()
      void copies?.drop(name)
    },

    close(): void {
      copy?.close()
      closeUnused(table)
    },
  }
}

async function openTable(
  connection: lancedb.Connection,
  name: string,
  dimensions: number | undefined,
): Promise<lancedb.Table> {
  const exists = (await connection.tableNames()).includes(name)
  const table = exists
    ? await connection.openTable(name)
    : await connection.createEmptyTable(name, tableSchema(dimensions))
  // LanceDB opens a zeroed manifest as a table without columns, and reports every use of it as invalid input.
  if ((await table.schema()).fields.length === 0) throw new Error("The table has lost its columns.")
  if (!exists) {
    await table.createIndex("words", { config: keywordIndex() })
    await table.createIndex("grams", { config: keywordIndex() })
    await table.createIndex("vectorId", { config: lancedb.Index.bitmap() })
    await table.createIndex("id", { config: lancedb.Index.btree() })
  }
  return table
}

/** The text is analysed before it is stored (search-text.ts), so LanceDB only splits it at spaces. */
function keywordIndex(): lancedb.Index {
  return lancedb.Index.fts({
    baseTokenizer: "whitespace",
    lowercase: false,
    stem: false,
    removeStopWords: false,
    asciiFolding: false,
    withPosition: false,
    maxTokenLength: 256,
  })
}
