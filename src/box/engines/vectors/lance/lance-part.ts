import * as lancedb from "@lancedb/lancedb"
import type { Table } from "@lancedb/lancedb"
import { withoutLeftovers } from "../../../core/files/temporary-files.ts"
import type { OwnerColumn } from "../passage-record.ts"
import type { TablesLocation } from "../tables-location.ts"
import { arrowRows, type PassageRow, tableSchema } from "./arrow-rows.ts"
import { closeUnused } from "./lance-errors.ts"
import { createPartCopy, type PartCopy } from "./part-copy.ts"
import { fromId, quotedList, idList, createPartSearch, type PartSearch } from "./part-search.ts"

/** Finds out which ids a table already contains. */
function createHeldIds(table: Table) {
  /** The table contains no id from this one on. */
  let emptyFrom: string | undefined

  return {
    async of(ids: string[]): Promise<Set<string>> {
      // Ids of new passages are later than all others. Checking this once is faster than looking up each id.
      const [first = ""] = ids.toSorted()
      if (emptyFrom !== undefined && first >= emptyFrom) return new Set()
      const later = await table.query().where(fromId(first)).select(["id"]).limit(1).toArray()
      if (later.length === 0) {
        emptyFrom = first
        return new Set()
      }
      const held: { id: string }[] = await table
        .query()
        .where(`id IN (${quotedList(ids)})`)
        .select(["id"])
        .toArray()
      return new Set(held.map(({ id }) => id))
    },

    /** Call this after a change: any id may have been added. */
    changed(): void {
      emptyFrom = undefined
    },
  }
}

type HeldIds = ReturnType<typeof createHeldIds>

const indexName = "embedding_idx"
/** With fewer vectors than this, comparing all of them is fast enough, and exact. */
const vectorsMinimum = 2_000
/** The index is retrained when the table has grown by this factor since the last training. */
const retrainFactor = 2
/** Number of parts at which the index is also retrained. Each optimisation adds a part, and LanceDB merges no files across parts. */
const maxParts = 16
/** LanceDB merges partitions with far fewer rows whenever it optimises. */
const vectorsPerPartition = 2_500

/** The index of the table's vectors, which is retrained as the table grows. */
async function openVectorIndex(table: lancedb.Table) {
  const stats = () => table.indexStats(indexName)
  const count = () => table.countRows("embedding IS NOT NULL")
  /** Number of vectors when the index was trained. */
  let trained = (await stats())?.numIndexedRows ?? 0

  async function trainOn(vectors: number): Promise<void> {
    const config = lancedb.Index.ivfFlat({ distanceType: "cosine", numPartitions: partitions(vectors) })
    // LanceDB leaves the sorted vectors there (lance-format/lance #8992).
    await withoutLeftovers("shuffle_data.lance", () =>
      table.createIndex("embedding", { config, replace: true, name: indexName }),
    )
    trained = vectors
  }

  return {
    partitions: () => partitions(trained),

    /** Training takes a second or two per 100,000 vectors, so it is simply repeated when the index has become too coarse. */
    async train(): Promise<void> {
      const parts = trained > 0 ? ((await stats())?.numIndices ?? 0) : 0
      const enough = Math.max(vectorsMinimum, parts > maxParts ? 0 : trained * retrainFactor)
      if ((await table.countRows()) < enough) return
      const vectors = await count()
      if (vectors >= enough) await trainOn(vectors)
    },

    /** Rebuilds the index from the current vectors, because it contains copies of removed ones too. */
    async renew(): Promise<void> {
      if (trained === 0) return
      const vectors = await count()
      if (vectors > 0) return trainOn(vectors)
      await table.dropIndex(indexName)
      trained = 0
    },
  }
}

type VectorIndex = Awaited<ReturnType<typeof openVectorIndex>>

function partitions(vectors: number): number {
  return Math.max(1, Math.round(vectors / vectorsPerPartition))
}

/** LanceDB rewrites a file when a tenth of its rows is deleted. This share of its remaining rows is moved to reach that. */
const movedShare = 0.12
const idsPerUpdate = 2_000

/** Makes the next compaction rewrite every file of the table that still contains deleted rows. */
async function markForRewriting(table: Table, location: Pick<TablesLocation, "names">): Promise<void> {
  for (const ids of (await idsByFile(table, await filesWithDeletions(table.name, location))).values()) {
    const moved = ids.slice(0, Math.ceil(ids.length * movedShare))
    for (let from = 0; from < moved.length; from += idsPerUpdate) {
      const some = idList(moved.slice(from, from + idsPerUpdate))
      await table.update({ where: `id IN (${some})`, valuesSql: { language: "language" } })
    }
  }
}

/** Returns the numbers of the table's row files ("fragments") that contain deleted rows, taken from the names of the deletion lists. */
async function filesWithDeletions(
  name: string,
  location: Pick<TablesLocation, "names">,
): Promise<Set<number>> {
  const names = await location.names(`${name}.lance/_deletions`)
  return new Set(names.map((name) => Number.parseInt(name, 10)))
}

/** Returns the ids of the rows in these files. The upper half of a row's number is its file's number. */
async function idsByFile(table: Table, files: ReadonlySet<number>): Promise<Map<number, string[]>> {
  const found = new Map<number, string[]>()
  if (files.size === 0) return found
  for await (const batch of table.query().withRowId().select(["id"])) {
    const ids = batch.getChild("id")
    const rows = batch.getChild("_rowid")
    for (let row = 0; row < batch.numRows; row++) {
      const file = Number((rows?.get(row) as bigint) >> 32n)
      if (!files.has(file)) continue
      const known = found.get(file)
      if (known) known.push(String(ids?.get(row)))
      else found.set(file, [String(ids?.get(row))])
    }
  }
  return found
}

/** A change needs one optimisation, and another for the versions that the first had to keep. */
const optimisationsPerChange = 2

export interface LancePartOptions {
  connection: lancedb.Connection
  /** Location of the connection's tables. */
  location: Pick<TablesLocation, "names" | "copies">
  newSession(): lancedb.Session
  name: string
  dimensions: number | undefined
  versionRetentionMs: number
}

/** Opens a table of passages, or creates it. Throws LanceDB's error if the files are damaged. */
export async function openLancePart(options: LancePartOptions): Promise<LancePart> {
  const { connection, name, dimensions } = options
  const table = await openTable(connection, name, dimensions)
  const vectorIndex = dimensions === undefined ? null : await openVectorIndex(table)
  const rows = await table.countRows()
  const withGrams = await table.query().where("grams IS NOT NULL").select(["id"]).limit(1).toArray()
  return new LancePart(options, { table, vectorIndex, rows, holdsGrams: withGrams.length > 0 })
}

/** The state of a table that was just opened. */
interface OpenedTable {
  table: Table
  vectorIndex: VectorIndex | null
  rows: number
  holdsGrams: boolean
}

/** One LanceDB table. This module contains all code that knows LanceDB's API, and nothing about other parts, queues or repair. */
export class LancePart {
  readonly name: string
  readonly search: PartSearch
  readonly #table: Table
  readonly #options: LancePartOptions
  readonly #vectorIndex: VectorIndex | null
  readonly #held: HeldIds
  readonly #copy: PartCopy | null
  #rows: number
  #holdsGrams: boolean
  /** Number of optimisations still needed. Starts at one, because it is unknown how the last run ended. */
  #due = 1
  /** A folder was removed, and its index data is still on disk. */
  #isPurging = false

  constructor(options: LancePartOptions, { table, vectorIndex, rows, holdsGrams }: OpenedTable) {
    const { copies } = options.location
    this.name = options.name
    this.#options = options
    this.#table = table
    this.#vectorIndex = vectorIndex
    this.#held = createHeldIds(table)
    this.#rows = rows
    this.#holdsGrams = holdsGrams
    const stored = this.#createSearch(table)
    this.#copy = copies
      ? createPartCopy({
          table,
          stored,
          copies,
          newSession: () => options.newSession(),
          createSearch: (copied) => this.#createSearch(copied),
        })
      : null
    this.search = this.#copy?.search ?? stored
  }

  get rows(): number {
    return this.#rows
  }

  /** Adds rows, or replaces those with the same ids. */
  async put(some: PassageRow[]): Promise<void> {
    this.#holdsGrams ||= some.some(({ text }) => text.grams !== null)
    const { numInsertedRows } = await this.#table
      .mergeInsert("id")
      .whenMatchedUpdateAll()
      .whenNotMatchedInsertAll()
      .execute(arrowRows(some, this.#options.dimensions))
      .finally(() => this.#copy?.changed())
    this.#rows += numInsertedRows
    this.#held.changed()
    this.#due = optimisationsPerChange
  }

  /** Replaces the rows whose ids this part contains. Returns the others. */
  async replace(some: PassageRow[]): Promise<PassageRow[]> {
    const known = await this.#held.of(some.map(({ id }) => id))
    if (known.size === 0) return some
    await this.put(some.filter(({ id }) => known.has(id)))
    return some.filter(({ id }) => !known.has(id))
  }

  async removeBy(column: OwnerColumn | "id", ids: string[]): Promise<void> {
    const filter = `${column} IN (${idList(ids)})`
    // Deleting nothing would still create a commit.
    if ((await this.#table.countRows(filter)) === 0) return
    const { numDeletedRows } = await this.#table.delete(filter).finally(() => this.#copy?.changed())
    this.#rows -= numDeletedRows
    this.#isPurging ||= column === "vectorId"
    this.#due = optimisationsPerChange
  }

  /**
   * Call this after a change. It adds new rows to the indices, merges small files, deletes versions that no running search can need, and
   * deletes removed folders from the disk.
   */
  async optimize(): Promise<void> {
    if (this.#due === 0) return
    try {
      if (this.#isPurging) await this.#purge()
      else {
        await this.#vectorIndex?.train()
        await this.#compact()
      }
    } finally {
      this.#copy?.changed()
    }
    this.#due--
  }

  /** Call this when the table is deleted. */
  dropCopy(): void {
    this.#copy?.close()
    void this.#options.location.copies?.drop(this.name)
  }

  close(): void {
    this.#copy?.close()
    closeUnused(this.#table)
  }

  #createSearch(table: Table): PartSearch {
    return createPartSearch({
      table,
      isEmbedded: this.#options.dimensions !== undefined,
      partitions: () => this.#vectorIndex?.partitions() ?? 1,
      holdsGrams: () => this.#holdsGrams,
    })
  }

  async #compact(): Promise<void> {
    const cleanupOlderThan = new Date(Date.now() - this.#options.versionRetentionMs)
    await this.#table.optimize({ cleanupOlderThan, deleteUnverified: true })
  }

  /** Deletes removed rows from the disk. Optimising alone does so only when they make up a tenth of a file. */
  async #purge(): Promise<void> {
    await markForRewriting(this.#table, this.#options.location)
    for (const column of ["words", "grams"]) {
      await this.#table.createIndex(column, { config: keywordIndex(), replace: true })
    }
    await this.#vectorIndex?.renew()
    await this.#compact()
    this.#isPurging = false
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
