import * as lancedb from "@lancedb/lancedb"
import { idList, inIdRange } from "./lance/filters.ts"
import type { IdRange, IndexedPassage } from "./passage-record.ts"
import type { Candidate } from "./rerank.ts"
import type { AnalysedPassage } from "./text/search-text.ts"

export interface TableHit {
  id: string
  vectorId: string
  fileId: string
}

export interface PartSearchOptions {
  table: lancedb.Table
  isEmbedded: boolean
  /** Of the vector index. */
  partitions(): number
}

const queryTimeoutMs = 5_000
/** Share of the vector index's partitions that a search looks at. */
const probeShare = 0.15
const everyPartition = 1_000_000
/** A swap of two letters counts as two. */
const similarLetters = 2
const similarWords = 50

/** The reads of one LanceDB table of passages. */
export function createPartSearch({ table, isEmbedded, partitions }: PartSearchOptions) {
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

  return {
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
        .minimumNprobes(Math.max(leastProbes, Math.ceil(partitions() * probeShare)))
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
      const embedded = isEmbedded ? "embedding IS NOT NULL" : "false"
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
  }
}

function owners(row: unknown): TableHit {
  const { id, vectorId, fileId } = row as Record<string, unknown>
  return { id: String(id), vectorId: String(vectorId), fileId: String(fileId) }
}
