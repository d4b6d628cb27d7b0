import * as lancedb from "@lancedb/lancedb"
import { requireId, type FileSelection, type IdRange, type IndexedPassage } from "../passage-record.ts"
import type { Candidate } from "../rerank.ts"
import type { TermSource } from "../terms/term-dictionary.ts"

/** Returns an SQL list of ids. Only UUIDs are accepted, so nothing else can reach a filter. */
export function idList(ids: string[]): string {
  return ids.map((id) => `'${requireId(id)}'`).join(", ")
}

/** Returns an SQL list of ids from the database, which may contain any text. */
export function quotedList(ids: string[]): string {
  return ids.map(quoted).join(", ")
}

/** Returns an SQL condition for this id and all later ones. */
export function fromId(first: string): string {
  return `id >= ${quoted(first)}`
}

/** Returns the condition for passages of these folders, or of some files in them. */
function inScope(vectorIds: string[], files: FileSelection | undefined): string {
  const inFolders = `vectorId IN (${idList(vectorIds)})`
  if (!files || files.fileIds.length === 0) return inFolders
  return `${inFolders} AND fileId ${files.listed === "only" ? "IN" : "NOT IN"} (${idList([...files.fileIds])})`
}

/** Returns the range as an SQL condition. */
function idRangeFilter({ after, upTo }: IdRange): string {
  return [
    ...(after === undefined ? [] : [`id > ${quoted(after)}`]),
    ...(upTo === undefined ? [] : [`id <= ${quoted(upTo)}`]),
  ].join(" AND ")
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

export interface TableHit {
  id: string
  /** The owners, if requested. */
  vectorId?: string
  fileId?: string
}

export interface PartSearchOptions {
  table: lancedb.Table
  isEmbedded: boolean
  /** Number of partitions in the vector index. */
  partitions(): number
  /** Whether any passage is in a script without spaces. */
  holdsGrams(): boolean
}

const queryTimeoutMs = 5_000
/** Share of the vector index's partitions that a search reads. */
const probeShare = 0.15
const everyPartition = 1_000_000

export type PartSearch = ReturnType<typeof createPartSearch>

/** Read operations of one LanceDB passage table. */
export function createPartSearch({ table, isEmbedded, partitions, holdsGrams }: PartSearchOptions) {
  return {
    /** Returns the passages that contain any of the terms, ranked by BM25. */
    async keyword(
      terms: string[],
      vectorIds: string[],
      limit: number,
      hasOwners: boolean,
      files?: FileSelection,
    ): Promise<(TableHit & Candidate)[]> {
      const columns = holdsGrams() ? ["words", "grams"] : ["words"]
      const found = await table
        .query()
        .fullTextSearch(matching(terms.join(" "), columns))
        .where(inScope(vectorIds, files))
        .select(["id", ...ownersIf(hasOwners), ...columns, "language", "_score"])
        .limit(limit)
        .toArrow({ timeoutMs: queryTimeoutMs })
      const [words, grams, language, scores] = ["words", "grams", "language", "_score"].map((name) =>
        found.getChild(name),
      )
      return getHits(found, hasOwners).map((hit, row) => {
        const text = textAt(words, row)
        return {
          ...hit,
          value: Number(scores?.get(row)),
          terms: text ?? textAt(grams, row) ?? "",
          column: text === null ? "grams" : "words",
          language: textAt(language, row),
        }
      })
    },

    /** Returns the nearest vectors by cosine similarity, from at least this many partitions of the vector index. */
    async semantic(
      embedding: Float32Array,
      vectorIds: string[],
      limit: number,
      minProbes: number,
      hasOwners: boolean,
      files?: FileSelection,
    ): Promise<(TableHit & { similarity: number })[]> {
      const found = await table
        .query()
        .nearestTo(embedding)
        .distanceType("cosine")
        .maximumNprobes(everyPartition) // a small folder's passages may be in any partition
        .minimumNprobes(Math.max(minProbes, Math.ceil(partitions() * probeShare)))
        .where(inScope(vectorIds, files))
        .select(["id", ...ownersIf(hasOwners), "_distance"])
        .limit(limit)
        .toArrow({ timeoutMs: queryTimeoutMs })
      const distances = found.getChild("_distance")
      return getHits(found, hasOwners).map((hit, row) => ({
        ...hit,
        similarity: 1 - Number(distances?.get(row)),
      }))
    },

    /** Returns the terms of all passages, at most 8,192 at a time. */
    async *terms(): AsyncGenerator<TermSource[]> {
      for await (const batch of table.query().select(["vectorId", "words", "grams"])) {
        const [folders, words, grams] = ["vectorId", "words", "grams"].map((name) => batch.getChild(name))
        yield Array.from({ length: batch.numRows }, (_, row) => ({
          vectorId: String(folders?.get(row)),
          terms: (textAt(words, row) ?? textAt(grams, row) ?? "").split(" "),
        }))
      }
    },

    /** Returns the passages whose ids are in the range, at most 8,192 at a time. */
    async *contents(range: IdRange): AsyncGenerator<IndexedPassage[]> {
      const embedded = isEmbedded ? "embedding IS NOT NULL" : "false"
      const columns = new Map([
        ["id", "id"],
        ["vectorId", "vectorId"],
        ["embedded", embedded],
      ])
      const filter = idRangeFilter(range)
      const query = table.query().select(columns)
      if (filter !== "") query.where(filter)
      for await (const batch of query) {
        const [ids, folders, flags] = ["id", "vectorId", "embedded"].map((name) => batch.getChild(name))
        yield Array.from({ length: batch.numRows }, (_, row) => ({
          id: String(ids?.get(row)),
          vectorId: String(folders?.get(row)),
          embedded: flags?.get(row) === true,
        }))
      }
    },
  }
}

/**
 * A passage is in one of the two columns, so its score is the better one. (A boolean query ranks the same but takes ten times as long,
 * because it scores every passage with any of the terms.) For a single column, a direct query is used: a query for several columns takes up
 * to a third longer.
 */
function matching(terms: string, columns: string[]): lancedb.FullTextQuery {
  const [only, ...others] = columns
  return only !== undefined && others.length === 0
    ? new lancedb.MatchQuery(terms, only)
    : new lancedb.MultiMatchQuery(terms, columns)
}

function textAt(column: { get(row: number): unknown } | null | undefined, row: number): string | null {
  const text = column?.get(row)
  return typeof text === "string" ? text : null
}

type ArrowTable = Awaited<ReturnType<lancedb.Query["toArrow"]>>

const ownersIf = (hasOwners: boolean) => (hasOwners ? ["vectorId", "fileId"] : [])

/** Reads the hits by column, because creating an Arrow object for each row costs more than reading it. */
function getHits(found: ArrowTable, hasOwners: boolean): TableHit[] {
  const [ids, folders, files] = ["id", "vectorId", "fileId"].map((name) => found.getChild(name))
  return Array.from({ length: found.numRows }, (_, row) => ({
    id: String(ids?.get(row)),
    ...(hasOwners ? { vectorId: String(folders?.get(row)), fileId: String(files?.get(row)) } : {}),
  }))
}
