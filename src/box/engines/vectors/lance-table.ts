import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import * as lancedb from "@lancedb/lancedb"
import { arrowRows, type PassageRow, tableSchema } from "./arrow-rows.ts"
import { requireId, type IndexedPassage, type OwnerColumn } from "./passage-record.ts"
import type { Candidate } from "./rerank.ts"
import { markForRewriting } from "./removed-rows.ts"
import type { AnalysedPassage } from "./search-text.ts"
import { openVectorIndex } from "./vector-index.ts"

export interface TableHit {
  id: string
  vectorId: string
  fileId: string
}

/** The LanceDB table of passages: everything that knows LanceDB's API, and nothing about queues or repair. */
export type LanceTable = Awaited<ReturnType<typeof openLanceTable>>

const tableName = "passages"
const queryTimeoutMs = 5_000
/** Old versions stay this long, so that a search that began before a commit can finish. */
const versionsKeptMs = 6_000
const indexCacheBytes = 128n * 1024n * 1024n
const metadataCacheBytes = 32n * 1024n * 1024n

/** Share of the vector index's partitions that a search looks at, and how many at least. */
const probeShare = 0.15
const probesMinimum = 10
const everyPartition = 1_000_000
/** A swap of two letters counts as two. */
const similarLetters = 2
const similarWords = 50

/** Opens the table in `directory`, or creates it. Throws what LanceDB throws when the files are damaged. */
export async function openLanceTable({
  directory,
  dimensions,
  keepVersionsMs = versionsKeptMs,
}: {
  directory: string
  dimensions: number | undefined
  keepVersionsMs?: number
}) {
  await mkdir(directory, { recursive: true })
  const session = new lancedb.Session(indexCacheBytes, metadataCacheBytes)
  const connection = await lancedb.connect(directory, {}, session)
  const exists = (await connection.tableNames()).includes(tableName)
  const table = exists
    ? await connection.openTable(tableName)
    : await connection.createEmptyTable(tableName, tableSchema(dimensions))
  // LanceDB opens a zeroed manifest as a table without columns, and calls every use of it wrong input.
  if ((await table.schema()).fields.length === 0) throw new Error("The table has lost its columns.")
  if (!exists) {
    await table.createIndex("words", { config: keywordIndex() })
    await table.createIndex("grams", { config: keywordIndex() })
    await table.createIndex("vectorId", { config: lancedb.Index.bitmap() })
    await table.createIndex("id", { config: lancedb.Index.btree() })
  }
  const vectorIndex = dimensions === undefined ? null : await openVectorIndex(table)

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

  const compact = () =>
    table.optimize({ cleanupOlderThan: new Date(Date.now() - keepVersionsMs), deleteUnverified: true })

  return {
    async upsert(rows: PassageRow[]): Promise<void> {
      await table
        .mergeInsert("id")
        .whenMatchedUpdateAll()
        .whenNotMatchedInsertAll()
        .execute(arrowRows(rows, dimensions))
    },

    async removeBy(column: OwnerColumn | "id", ids: string[]): Promise<void> {
      await table.delete(`${column} IN (${idList(ids)})`)
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

    /** The nearest vectors by cosine. */
    async semantic(
      embedding: Float32Array,
      vectorIds: string[],
      limit: number,
    ): Promise<(TableHit & { similarity: number })[]> {
      const rows: unknown[] = await table
        .query()
        .nearestTo(embedding)
        .distanceType("cosine")
        .maximumNprobes(everyPartition) // a small folder's passages may lie in any
        .minimumNprobes(Math.max(probesMinimum, Math.ceil((vectorIndex?.partitions() ?? 1) * probeShare)))
        .where(`vectorId IN (${idList(vectorIds)})`)
        .select(["id", "vectorId", "fileId", "_distance"])
        .limit(limit)
        .toArray({ timeoutMs: queryTimeoutMs })
      return rows.map((row) => ({
        ...owners(row),
        similarity: 1 - Number((row as Record<string, unknown>)["_distance"]),
      }))
    },

    /** Every passage in the table, in batches: its id, and whether it has a vector. */
    async *contents(): AsyncIterable<IndexedPassage[]> {
      const embedded = dimensions === undefined ? "false" : "embedding IS NOT NULL"
      for await (const batch of table.query().select(
        new Map([
          ["id", "id"],
          ["embedded", embedded],
        ]),
      )) {
        const ids = batch.getChild("id")
        const flags = batch.getChild("embedded")
        yield Array.from({ length: batch.numRows }, (_, row) => ({
          id: String(ids?.get(row)),
          embedded: flags?.get(row) === true,
        }))
      }
    },

    /** Makes new rows part of the indices, merges small files and deletes what no running search can need. */
    async optimize(): Promise<void> {
      await vectorIndex?.train()
      await compact()
    },

    /** Takes what was removed off the disk, which optimising alone does only once it is a tenth of a file. */
    async purge(): Promise<void> {
      await markForRewriting(table, join(directory, `${tableName}.lance`), idList)
      for (const column of ["words", "grams"]) {
        await table.createIndex(column, { config: keywordIndex(), replace: true })
      }
      await vectorIndex?.renew()
      await compact()
    },

    close(): void {
      table.close()
      connection.close()
    },
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

/** SQL list of ids. Only UUIDs pass, so nothing else can ever reach a filter. */
function idList(ids: string[]): string {
  return ids.map((id) => `'${requireId(id)}'`).join(", ")
}

function owners(row: unknown): TableHit {
  const { id, vectorId, fileId } = row as Record<string, unknown>
  return { id: String(id), vectorId: String(vectorId), fileId: String(fileId) }
}
