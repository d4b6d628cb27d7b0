import * as lancedb from "@lancedb/lancedb"
import { requireTemporaryFiles } from "../../../core/files/temporary-files.ts"
import type { PassageRow } from "./arrow-rows.ts"
import { closeUnused } from "./lance-errors.ts"
import { type LancePart, openLancePart } from "./lance-part.ts"
import type { TablesLocation } from "../tables-location.ts"
import type { TableHit } from "./part-search.ts"
import type { FileSelection, IdRange, IndexedPassage, OwnerColumn } from "../passage-record.ts"
import type { Candidate } from "../rerank.ts"
import type { TermSource } from "../terms/term-dictionary.ts"

/** The passages in LanceDB, in parts of limited size. */
export type LanceTable = Awaited<ReturnType<typeof openLanceTable>>

/**
 * LanceDB rewrites its whole keyword index when it adds new rows. A table therefore takes rows only up to this number, then another one is
 * filled, which keeps the cost per row constant. More and smaller parts would slow down searches, which query all of them.
 */
const usualRowsPerPart = 100_000
/** A part that has lost rows accepts new ones when more than a tenth of it is free. */
const maxToFill = 0.9
const firstName = "passages"
const partName = /^passages(?:-(\d+))?$/
const maxParts = 10_000
/** Old versions are kept this long, so that a search that started before a commit can finish. */
const versionLifetimeMs = 6_000
const indexCacheBytes = 128n * 1024n * 1024n
const metadataCacheBytes = 32n * 1024n * 1024n
/** Minimum number of vector index partitions that a search reads. */
const probesMinimum = 10

export interface LanceTableOptions {
  place: TablesLocation
  dimensions: number | undefined
  versionRetentionMs?: number
  rowsPerPart?: number
}

/**
 * Opens the parts in a location, or creates the first one. Throws LanceDB's error if the files are damaged, and `AppError` `unavailable` if
 * temporary files can't be created.
 */
export async function openLanceTable(options: LanceTableOptions) {
  const {
    place,
    dimensions,
    versionRetentionMs = versionLifetimeMs,
    rowsPerPart = usualRowsPerPart,
  } = options
  requireTemporaryFiles() // LanceDB creates its own directory there, and ends the process if it can't
  await place.prepare()
  /** Parts with their own search caches share the total cache size. */
  const newSession = () => {
    const shares = BigInt(Math.max(parts.length, 1))
    return new lancedb.Session(indexCacheBytes / shares, metadataCacheBytes / shares)
  }
  let parts: LancePart[] = []
  const { uri, storageOptions } = place
  const connection = await lancedb.connect(uri, storageOptions ? { storageOptions } : {}, newSession())
  const openPart = (name: string) =>
    openLancePart({ connection, place, newSession, name, dimensions, versionRetentionMs })
  const names = (await connection.tableNames({ limit: maxParts })).filter((name) => partName.test(name))
  for (const name of names) parts.push(await openPart(name))
  let filling = await partToFill()

  /** Returns the fullest part with space, or a new one. */
  async function partToFill(): Promise<LancePart> {
    const [fullest] = parts
      .filter(({ rows }) => rows <= rowsPerPart * maxToFill)
      .sort((a, b) => b.rows - a.rows)
    if (fullest) return fullest
    const part = await openPart(nextName(parts))
    parts = [...parts, part]
    return part
  }

  async function drop(empty: LancePart): Promise<void> {
    parts = parts.filter((part) => part !== empty)
    empty.dropCopy()
    await connection.dropTable(empty.name)
    empty.close()
  }

  const allRows = () => parts.reduce((sum, { rows }) => sum + rows, 0)

  const fromAll = async <Hit>(
    find: (search: LancePart["search"]) => Promise<Hit[]>,
    better: (a: Hit, b: Hit) => number,
    limit: number,
  ): Promise<Hit[]> =>
    (await Promise.all(parts.map(({ search }) => find(search)))).flat().sort(better).slice(0, limit)

  return {
    /** Adds rows, or replaces those with the same ids. Returns the number of rows in the part that takes new ones. */
    async upsert(rows: PassageRow[]): Promise<number> {
      let unknown = rows
      for (const part of parts)
        if (part !== filling && unknown.length > 0) unknown = await part.replace(unknown)
      if (filling.rows >= rowsPerPart) filling = await partToFill()
      if (unknown.length > 0) await filling.put(unknown)
      return filling.rows
    },

    /** Returns the number of removed rows, and the number of rows in the part that takes new ones. */
    async removeBy(
      column: OwnerColumn | "id",
      ids: string[],
    ): Promise<{ removed: number; partRows: number }> {
      const before = allRows()
      for (const part of parts) await part.removeBy(column, ids)
      return { removed: before - allRows(), partRows: filling.rows }
    },

    get rows() {
      return allRows()
    },

    /** Returns the passages that contain any of the terms, best first by BM25. Each part determines separately how rare a term is. */
    keyword: (
      terms: string[],
      vectorIds: string[],
      limit: number,
      hasOwners = true,
      files?: FileSelection,
    ): Promise<(TableHit & Candidate)[]> =>
      fromAll((search) => search.keyword(terms, vectorIds, limit, hasOwners, files), byScore, limit),

    /** Returns the nearest vectors by cosine similarity. */
    semantic: (
      embedding: Float32Array,
      vectorIds: string[],
      limit: number,
      hasOwners = true,
      files?: FileSelection,
    ): Promise<(TableHit & { similarity: number })[]> => {
      const minProbes = Math.ceil(probesMinimum / parts.length)
      return fromAll(
        (search) => search.semantic(embedding, vectorIds, limit, minProbes, hasOwners, files),
        bySimilarity,
        limit,
      )
    },

    /** Returns the passages whose ids are in the range, or all passages, in slices and in no particular order. */
    async *contents(range: IdRange = {}): AsyncGenerator<IndexedPassage[]> {
      for (const part of parts) yield* part.search.contents(range)
    },

    /** Returns the terms of all passages, in slices. */
    async *terms(): AsyncGenerator<TermSource[]> {
      for (const part of parts) yield* part.search.terms()
    },

    /** Optimises every part that has changed since the last call, and drops parts that have become empty. */
    async optimize(): Promise<void> {
      for (const part of parts) {
        if (part.rows > 0 || part === filling) await part.optimize()
        else await drop(part)
      }
    },

    close(): void {
      for (const part of parts) part.close()
      closeUnused(connection)
    },
  }
}

const byScore = (a: Candidate, b: Candidate) => b.value - a.value

function nextName(parts: readonly LancePart[]): string {
  const numbers = parts.map(({ name }) => Number(partName.exec(name)?.[1] ?? 1))
  return parts.length === 0 ? firstName : `${firstName}-${Math.max(...numbers) + 1}`
}

const bySimilarity = (a: { similarity: number }, b: { similarity: number }) => b.similarity - a.similarity
