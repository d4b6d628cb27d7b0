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
  location: TablesLocation
  dimensions: number | undefined
  versionRetentionMs?: number
  rowsPerPart?: number
}

/**
 * Opens the parts in a location, or creates the first one. Throws LanceDB's error if the files are damaged, and `AppError` `unavailable` if
 * temporary files can't be created.
 */
export async function openLanceTable(options: LanceTableOptions): Promise<LanceTable> {
  const {
    location,
    dimensions,
    versionRetentionMs = versionLifetimeMs,
    rowsPerPart = usualRowsPerPart,
  } = options
  requireTemporaryFiles() // LanceDB creates its own directory there, and ends the process if it can't
  await location.prepare()
  const { uri, storageOptions } = location
  const connection = await lancedb.connect(uri, storageOptions ? { storageOptions } : {}, newSession(1))
  const parts = new Parts({ connection, location, dimensions, versionRetentionMs, rowsPerPart })
  const names = (await connection.tableNames({ limit: maxParts })).filter((name) => partName.test(name))
  for (const name of names) await parts.open(name)
  return new LanceTable(connection, parts, { isNew: names.length === 0, filling: await parts.findFillable() })
}

/** Creates the search caches of one of the parts, which share the total cache size. */
function newSession(partCount: number): lancedb.Session {
  const shares = BigInt(Math.max(partCount, 1))
  return new lancedb.Session(indexCacheBytes / shares, metadataCacheBytes / shares)
}

interface PartsOptions {
  connection: lancedb.Connection
  location: TablesLocation
  dimensions: number | undefined
  versionRetentionMs: number
  rowsPerPart: number
}

/** The open parts of a table. */
class Parts {
  readonly #options: PartsOptions
  #all: readonly LancePart[] = []

  constructor(options: PartsOptions) {
    this.#options = options
  }

  get all(): readonly LancePart[] {
    return this.#all
  }

  /** Opens the part with this name, or creates it. */
  async open(name: string): Promise<LancePart> {
    const { connection, location, dimensions, versionRetentionMs } = this.#options
    const part = await openLancePart({
      connection,
      location,
      newSession: () => newSession(this.#all.length),
      name,
      dimensions,
      versionRetentionMs,
    })
    this.#all = [...this.#all, part]
    return part
  }

  /** Returns the fullest part with space, or a new one. */
  async findFillable(): Promise<LancePart> {
    const { rowsPerPart } = this.#options
    const [fullest] = this.#all
      .filter(({ rows }) => rows <= rowsPerPart * maxToFill)
      .sort((a, b) => b.rows - a.rows)
    return fullest ?? this.open(nextName(this.#all))
  }

  isFull(part: LancePart): boolean {
    return part.rows >= this.#options.rowsPerPart
  }

  async drop(empty: LancePart): Promise<void> {
    this.#all = this.#all.filter((part) => part !== empty)
    empty.dropCopy()
    await this.#options.connection.dropTable(empty.name)
    empty.close()
  }
}

/** The passages in LanceDB, in parts of limited size. */
export class LanceTable {
  /** Whether there was no table, so that it was created. */
  readonly isNew: boolean
  readonly #connection: lancedb.Connection
  readonly #parts: Parts
  /** The part that takes new rows. */
  #filling: LancePart

  constructor(
    connection: lancedb.Connection,
    parts: Parts,
    { isNew, filling }: { isNew: boolean; filling: LancePart },
  ) {
    this.isNew = isNew
    this.#connection = connection
    this.#parts = parts
    this.#filling = filling
  }

  get rows(): number {
    return this.#parts.all.reduce((sum, { rows }) => sum + rows, 0)
  }

  /** Adds rows, or replaces those with the same ids. Returns the number of rows in the part that takes new ones. */
  async upsert(rows: PassageRow[]): Promise<number> {
    let unknown = rows
    for (const part of this.#parts.all)
      if (part !== this.#filling && unknown.length > 0) unknown = await part.replace(unknown)
    if (this.#parts.isFull(this.#filling)) this.#filling = await this.#parts.findFillable()
    if (unknown.length > 0) await this.#filling.put(unknown)
    return this.#filling.rows
  }

  /** Returns the number of removed rows, and the number of rows in the part that takes new ones. */
  async removeBy(column: OwnerColumn | "id", ids: string[]): Promise<{ removed: number; partRows: number }> {
    const before = this.rows
    for (const part of this.#parts.all) await part.removeBy(column, ids)
    return { removed: before - this.rows, partRows: this.#filling.rows }
  }

  /** Returns the passages that contain any of the terms, best first by BM25. Each part determines separately how rare a term is. */
  keyword(
    terms: string[],
    vectorIds: string[],
    limit: number,
    hasOwners = true,
    files?: FileSelection,
  ): Promise<(TableHit & Candidate)[]> {
    const find = ({ search }: LancePart) => search.keyword(terms, vectorIds, limit, hasOwners, files)
    return this.#findInAll(find, byScore, limit)
  }

  /** Returns the nearest vectors by cosine similarity. */
  semantic(
    embedding: Float32Array,
    vectorIds: string[],
    limit: number,
    hasOwners = true,
    files?: FileSelection,
  ): Promise<(TableHit & { similarity: number })[]> {
    const minProbes = Math.ceil(probesMinimum / this.#parts.all.length)
    const find = ({ search }: LancePart) =>
      search.semantic(embedding, vectorIds, limit, minProbes, hasOwners, files)
    return this.#findInAll(find, bySimilarity, limit)
  }

  /** Yields the passages whose ids are in the range, or all passages, in slices and in no particular order. */
  async *contents(range: IdRange = {}): AsyncGenerator<IndexedPassage[]> {
    for (const part of this.#parts.all) yield* part.search.contents(range)
  }

  /** Yields the terms of all passages, in slices. */
  async *terms(): AsyncGenerator<TermSource[]> {
    for (const part of this.#parts.all) yield* part.search.terms()
  }

  /** Optimises every part that has changed since the last call, and drops parts that have become empty. */
  async optimize(): Promise<void> {
    for (const part of this.#parts.all) {
      if (part.rows > 0 || part === this.#filling) await part.optimize()
      else await this.#parts.drop(part)
    }
  }

  close(): void {
    for (const part of this.#parts.all) part.close()
    closeUnused(this.#connection)
  }

  async #findInAll<Hit>(
    find: (part: LancePart) => Promise<Hit[]>,
    better: (a: Hit, b: Hit) => number,
    limit: number,
  ): Promise<Hit[]> {
    const found = await Promise.all(this.#parts.all.map(find))
    return found.flat().sort(better).slice(0, limit)
  }
}

const byScore = (a: Candidate, b: Candidate) => b.value - a.value

function nextName(parts: readonly LancePart[]): string {
  const numbers = parts.map(({ name }) => Number(partName.exec(name)?.[1] ?? 1))
  return parts.length === 0 ? firstName : `${firstName}-${Math.max(...numbers) + 1}`
}

const bySimilarity = (a: { similarity: number }, b: { similarity: number }) => b.similarity - a.similarity
