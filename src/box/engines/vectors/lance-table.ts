import { mkdir } from "node:fs/promises"
import * as lancedb from "@lancedb/lancedb"
import {
  type Data,
  Field,
  FixedSizeList,
  Float32,
  Schema,
  Table,
  Utf8,
  Vector,
  makeData,
  vectorFromArray,
} from "apache-arrow"
import { requireId, type IndexedPassage, type OwnerColumn } from "./passage-record.ts"
import type { Candidate } from "./rerank.ts"
import type { AnalysedPassage } from "./search-text.ts"

/** One row: the passage's ids, its analysed text and, with an embedding model, its vector. The text stays in SQLite. */
export interface PassageRow {
  id: string
  vectorId: string
  fileId: string
  text: AnalysedPassage
  embedding: Float32Array | undefined
}

export interface TableHit {
  id: string
  vectorId: string
  fileId: string
}

/** The LanceDB table of passages: everything that knows LanceDB's API, and nothing about queues or repair. */
export type LanceTable = Awaited<ReturnType<typeof openLanceTable>>

const tableName = "passages"
const vectorIndexName = "embedding_idx"
const queryTimeoutMs = 5_000
/** Old versions stay this long, so that a search that began before a commit can finish. */
const keepVersionsMs = 6_000
const indexCacheBytes = 128n * 1024n * 1024n
const metadataCacheBytes = 32n * 1024n * 1024n

/** Vectors under which looking at all of them is fast enough, and exact. */
const vectorIndexMinimum = 2_000
/** The vector index is trained anew when the table has grown by this since. */
const retrainFactor = 2
/** LanceDB joins partitions of much fewer rows whenever it optimises. */
const vectorsPerPartition = 2_500
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
}: {
  directory: string
  dimensions: number | undefined
}) {
  await mkdir(directory, { recursive: true })
  const session = new lancedb.Session(indexCacheBytes, metadataCacheBytes)
  const connection = await lancedb.connect(directory, {}, session)
  const exists = (await connection.tableNames()).includes(tableName)
  const table = exists
    ? await connection.openTable(tableName)
    : await connection.createEmptyTable(tableName, tableSchema(dimensions))
  if (!exists) {
    await table.createIndex("words", { config: keywordIndex() })
    await table.createIndex("grams", { config: keywordIndex() })
    await table.createIndex("vectorId", { config: lancedb.Index.bitmap() })
    await table.createIndex("id", { config: lancedb.Index.btree() })
  }
  const statistics = dimensions === undefined ? undefined : await table.indexStats(vectorIndexName)
  /** Vectors at the time the vector index was trained. */
  let trained = statistics?.numIndexedRows ?? 0

  /** Takes a second or two per 100,000 vectors, so it is simply done again when it has become too coarse. */
  const trainVectorIndex = async () => {
    const enough = Math.max(vectorIndexMinimum, trained * retrainFactor)
    if ((await table.countRows()) < enough) return
    const vectors = await table.countRows("embedding IS NOT NULL")
    if (vectors < enough) return
    const config = lancedb.Index.ivfFlat({ distanceType: "cosine", numPartitions: partitions(vectors) })
    await table.createIndex("embedding", { config, replace: true, name: vectorIndexName })
    trained = vectors
  }

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
      return { ...owners(row), value: _score, terms: words ?? grams ?? "", language }
    })
  }

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
        .minimumNprobes(Math.max(probesMinimum, Math.ceil(partitions(trained) * probeShare)))
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
      if (dimensions !== undefined) await trainVectorIndex()
      await table.optimize({
        cleanupOlderThan: new Date(Date.now() - keepVersionsMs),
        deleteUnverified: true,
      })
    },

    close(): void {
      table.close()
      connection.close()
    },
  }
}

function partitions(vectors: number): number {
  return Math.max(1, Math.round(vectors / vectorsPerPartition))
}

function tableSchema(dimensions: number | undefined): Schema {
  const columns = [
    ...["id", "vectorId", "fileId"].map((name) => new Field(name, new Utf8(), false)),
    ...["words", "grams", "language"].map((name) => new Field(name, new Utf8(), true)),
  ]
  return new Schema(
    dimensions === undefined ? columns : [...columns, new Field("embedding", vectorType(dimensions), true)],
  )
}

function vectorType(dimensions: number): FixedSizeList<Float32> {
  return new FixedSizeList(dimensions, new Field("item", new Float32(), true))
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

function arrowRows(rows: PassageRow[], dimensions: number | undefined): Table {
  const column = (value: (row: PassageRow) => string | null) => vectorFromArray(rows.map(value), new Utf8())
  const columns = {
    id: column((row) => row.id),
    vectorId: column((row) => row.vectorId),
    fileId: column((row) => row.fileId),
    words: column((row) => row.text.words),
    grams: column((row) => row.text.grams),
    language: column((row) => row.text.language),
  }
  return dimensions === undefined
    ? new Table(columns)
    : new Table({ ...columns, embedding: new Vector([embeddingData(rows, dimensions)]) })
}

/** Copies the vectors into one flat buffer: 20 times faster than handing LanceDB arrays of numbers. */
function embeddingData(rows: PassageRow[], dimensions: number): Data<FixedSizeList<Float32>> {
  const values = new Float32Array(rows.length * dimensions)
  const present = new Uint8Array(Math.ceil(rows.length / 8))
  let nullCount = 0
  for (const [position, { embedding }] of rows.entries()) {
    if (embedding) {
      values.set(embedding, position * dimensions)
      present[position >> 3] = (present[position >> 3] ?? 0) | (1 << (position & 7))
    } else nullCount++
  }
  const child = makeData({ type: new Float32(), length: values.length, nullCount: 0, data: values })
  return makeData({
    type: vectorType(dimensions),
    length: rows.length,
    nullCount,
    nullBitmap: nullCount > 0 ? present : null,
    child,
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
