import { join } from "node:path"
import * as lancedb from "@lancedb/lancedb"
import { arrowRows, type PassageRow, tableSchema } from "./arrow-rows.ts"
import { fromId, idList, inIdRange, quotedList } from "./filters.ts"
import type { IdRange, IndexedPassage, OwnerColumn } from "./passage-record.ts"
import type { Candidate } from "./rerank.ts"
import { markForRewriting } from "./removed-rows.ts"
import type { AnalysedPassage } from "./search-text.ts"
import { openVectorIndex } from "./vector-index.ts"

export interface TableHit {
  id: string
  vectorId: string
  fileId: string
}

/** One LanceDB table: everything that knows LanceDB's API, and nothing of other parts, queues or repair. */
export type LancePart = Awaited<ReturnType<typeof openLancePart>>

const queryTimeoutMs = 5_000
/** Share of the vector index's partitions that a search looks at. */
const probeShare = 0.15
const everyPartition = 1_000_000
/** A swap of two letters counts as two. */
const similarLetters = 2
const similarWords = 50
/** A change is followed by one optimisation, and by another for the versions that the first had to keep. */
const optimisationsPerChange = 2

export interface LancePartOptions {
  connection: lancedb.Connection
  /** Where the connection keeps its tables. */
  directory: string
  name: string
  dimensions: number | undefined
  keepVersionsMs: number
}

/** Opens a table of passages, or creates it. Throws what LanceDB throws when the files are damaged. */
export async function openLancePart({
  connection,
  directory,
  name,
  dimensions,
  keepVersionsMs,
}: LancePartOptions) {
  const exists = (await connection.tableNames()).includes(name)
  const table = exists
    ? await connection.openTable(name)
    : await connection.createEmptyTable(name, tableSchema(dimensions))
  // LanceDB opens a zeroed manifest as a table without columns, and calls every use of it wrong input.
  if ((await table.schema()).fields.length === 0) throw new Error("The table has lost its columns.")
  if (!exists) {
    await table.createIndex("words", { config: keywordIndex() })
    await table.createIndex("grams", { config: keywordIndex() })
    await table.createIndex("vectorId", { config: lancedb.Index.bitmap() })
    await table.createIndex("id", { config: lancedb.Index.btree() })
  }
  const vectorIndex = dimensions === undefined ? null : await openVectorIndex(table)
  let rows = await table.countRows()
  /** Optimisations that it still needs; one, since nobody knows how the last run ended. */
  let due = 1
  /** The part was found to hold no id from this one on. */
  let noneFrom: string | undefined
  /** A folder was removed, and what the index knew of it is still on the disk. */
  let purging = false

  const matching = async (
    query: lancedb.FullTextQuery,
    vectorIds: string[],
    limit: number,
  ): Promise<(TableHit & Candidate)[]> => {
    const rows: unknown[] = await table
      .query()
      .fullTextSearch(query)
      .where(`vectorId IN (${idList(vectorIds)})`)
      .select(["id", "vectorId", "fileId", "words", "grams", "language", "_score"])
      .limit(limit)
      .toArray({ timeoutMs: queryTimeoutMs })
    return rows.map((row) => {
      const { words, grams, language, _score } = row as AnalysedPassage & { _score: number }
      const column = words === null ? "grams" : "words"
      return { ...owners(row), value: _score, terms: words ?? grams ?? "", column, language }
    })
  }

  const changed = () => {
    due = optimisationsPerChange
  }

  const put = async (some: PassageRow[]) => {
    const { numInsertedRows } = await table
      .mergeInsert("id")
      .whenMatchedUpdateAll()
      .whenNotMatchedInsertAll()
      .execute(arrowRows(some, dimensions))
    rows += numInsertedRows
    noneFrom = undefined
    changed()
  }

  const compact = () =>
    table.optimize({ cleanupOlderThan: new Date(Date.now() - keepVersionsMs), deleteUnverified: true })

  /** Takes what was removed off the disk, which optimising alone does only once it is a tenth of a file. */
  const purge = async () => {
    await markForRewriting(table, join(directory, `${name}.lance`))
    for (const column of ["words", "grams"]) {
      await table.createIndex(column, { config: keywordIndex(), replace: true })
    }
    await vectorIndex?.renew()
    await compact()
    purging = false
  }

  return {
    name,

    get rows() {
      return rows
    },

    /** Adds rows, or replaces those of the same ids. */
    put,

    /** Replaces the rows whose ids the part has. Returns the others. */
    async replace(some: PassageRow[]): Promise<PassageRow[]> {
      const held = await heldOf(some.map(({ id }) => id))
      if (held.size === 0) return some
      await put(some.filter(({ id }) => held.has(id)))
      return some.filter(({ id }) => !held.has(id))
    },

    async removeBy(column: OwnerColumn | "id", ids: string[]): Promise<void> {
      const filter = `${column} IN (${idList(ids)})`
      // Deleting nothing would be a commit all the same.
      if ((await table.countRows(filter)) === 0) return
      const { numDeletedRows } = await table.delete(filter)
      rows -= numDeletedRows
      purging ||= column === "vectorId"
      changed()
    },

    /** The passages that hold any of the terms, by BM25. */
    keyword(terms: string[], vectorIds: string[], limit: number): Promise<(TableHit & Candidate)[]> {
      // A passage is in one of the two columns, so the better score is its score. (A boolean query ranks the same and
      // takes ten times as long: it scores every passage with any of the terms.)
      return matching(new lancedb.MultiMatchQuery(terms.join(" "), ["words", "grams"]), vectorIds, limit)
    },

    /** The passages that hold a word that differs from one of these in up to two letters, but not in the first. */
    similar(words: string[], vectorIds: string[], limit: number): Promise<(TableHit & Candidate)[]> {
      const nearly = new lancedb.MatchQuery(words.join(" "), "words", {
        fuzziness: similarLetters,
        prefixLength: 1,
        maxExpansions: similarWords,
      })
      return matching(nearly, vectorIds, limit)
    },

    /** The nearest vectors by cosine, from at least so many partitions of the vector index. */
    async semantic(
      embedding: Float32Array,
      vectorIds: string[],
      limit: number,
      leastProbes: number,
    ): Promise<(TableHit & { similarity: number })[]> {
      const rows: unknown[] = await table
        .query()
        .nearestTo(embedding)
        .distanceType("cosine")
        .maximumNprobes(everyPartition) // a small folder's passages may lie in any
        .minimumNprobes(Math.max(leastProbes, Math.ceil((vectorIndex?.partitions() ?? 1) * probeShare)))
        .where(`vectorId IN (${idList(vectorIds)})`)
        .select(["id", "vectorId", "fileId", "_distance"])
        .limit(limit)
        .toArray({ timeoutMs: queryTimeoutMs })
      return rows.map((row) => ({
        ...owners(row),
        similarity: 1 - Number((row as Record<string, unknown>)["_distance"]),
      }))
    },

    /** The passages whose ids are in the range, at most 8,192 at a time: their ids, and whether they have a vector. */
    async *contents(range: IdRange): AsyncGenerator<IndexedPassage[]> {
      const embedded = dimensions === undefined ? "false" : "embedding IS NOT NULL"
      const columns = new Map([
        ["id", "id"],
        ["embedded", embedded],
      ])
      const filter = inIdRange(range)
      const query = table.query().select(columns)
      if (filter !== "") query.where(filter)
      for await (const batch of query) {
        const ids = batch.getChild("id")
        const flags = batch.getChild("embedded")
        yield Array.from({ length: batch.numRows }, (_, row) => ({
          id: String(ids?.get(row)),
          embedded: flags?.get(row) === true,
        }))
      }
    },

    /**
     * After a change: makes new rows part of the indices, merges small files, deletes what no running search can need,
     * and takes removed folders off the disk.
     */
    async optimize(): Promise<void> {
      if (due === 0) return
      if (purging) await purge()
      else {
        await vectorIndex?.train()
        await compact()
      }
      due--
    },

    close(): void {
      table.close()
    },
  }

  async function heldOf(ids: string[]): Promise<Set<string>> {
    // Ids of new passages are later than all others, which is told faster than by looking for each of them, and only once.
    const [first = ""] = ids.toSorted()
    if (noneFrom !== undefined && first >= noneFrom) return new Set()
    const later = await table.query().where(fromId(first)).select(["id"]).limit(1).toArray()
    if (later.length === 0) {
      noneFrom = first
      return new Set()
    }
    const held: { id: string }[] = await table
      .query()
      .where(`id IN (${quotedList(ids)})`)
      .select(["id"])
      .toArray()
    return new Set(held.map(({ id }) => id))
  }
}

/** The text is analysed before it is stored (search-text.ts), so LanceDB only splits at spaces. */
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

function owners(row: unknown): TableHit {
  const { id, vectorId, fileId } = row as Record<string, unknown>
  return { id: String(id), vectorId: String(vectorId), fileId: String(fileId) }
}
