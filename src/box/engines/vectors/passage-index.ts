import type { DataDirectory } from "../../core/data-directory/watch-data-directory.ts"
import { requireTemporaryFiles } from "../../core/files/temporary-files.ts"
import {
  createIndexFiles,
  type IndexFiles,
  type IndexCondition,
  type IndexModel,
  type IndexStamp,
} from "./index-files.ts"
import type { PassageRow } from "./lance/arrow-rows.ts"
import type { LanceTable } from "./lance/lance-table.ts"
import type { TableHit } from "./lance/part-search.ts"
import {
  requireId,
  type FileSelection,
  type IndexLogger,
  type OwnerColumn,
  type PassageIndexState,
  type PassageRecord,
} from "./passage-record.ts"
import { createRebuild } from "./rebuild.ts"
import type { KeywordHit } from "./rerank.ts"
import { createTableOpener, isDiskFull } from "./table-keeper.ts"
import type { TableStore } from "./tables-location.ts"
import {
  createTermDictionary,
  type TermDictionary,
  type TermLookup,
  type TermSource,
} from "./terms/term-dictionary.ts"
import { createMaintenance, createWriteQueue, type Change } from "./write-queue.ts"

/** Hides passages that are being removed from searches, although LanceDB may still show the previous state. */
function createRemovals() {
  /** Files and folders with pending removals, and the number of these. */
  const removing = new Map<string, number>()
  /** For each running search, the ids removed before it ended. */
  const searches = new Set<Set<string>>()

  return {
    /** Hides a file or folder from searches until it is removed. */
    async hide(id: string, remove: () => Promise<void>): Promise<void> {
      for (const gone of searches) gone.add(id)
      removing.set(id, (removing.get(id) ?? 0) + 1)
      try {
        await remove()
      } finally {
        const left = (removing.get(id) ?? 1) - 1
        if (left > 0) removing.set(id, left)
        else removing.delete(id)
      }
    },

    /**
     * Returns the hits of a search without passages that are being removed or were removed before it ended. Only if there are removals does
     * the search also fetch the owners of its hits, which takes a sixth of its time.
     */
    async search<Hit extends TableHit>(find: (hasOwners: boolean) => Promise<Hit[]>): Promise<Hit[]> {
      const gone = new Set(removing.keys())
      searches.add(gone)
      try {
        const hasOwners = gone.size > 0
        const hits = await find(hasOwners)
        if (gone.size === 0) return hits
        const owned = hasOwners ? hits : await find(true)
        return owned.filter((hit) => !gone.has(hit.fileId ?? "") && !gone.has(hit.vectorId ?? ""))
      } finally {
        searches.delete(gone)
      }
    },
  }
}

export type { FileSelection, PassageIndexState, PassageRecord } from "./passage-record.ts"
export type { KeywordHit } from "./rerank.ts"

/** Keyword and semantic search over passages. The database is authoritative; the index can be rebuilt from it at any time. */
export interface PassageIndex extends AsyncDisposable {
  readonly state: PassageIndexState
  /** Adds passages or replaces those with the same id. Settles when they can be found. */
  put(passages: PassageRecord[]): Promise<void>
  /** Hides the file's passages from searches immediately. Settles when they are deleted. */
  removeFile(fileId: string): Promise<void>
  /** Hides the folder's passages from searches immediately. Settles when they are deleted. */
  removeFolder(vectorId: string): Promise<void>
  /** Best first. `files` limits the search to some files of the folders. */
  keyword(query: string, vectorIds: string[], limit: number, files?: FileSelection): Promise<KeywordHit[]>
  /** Nearest first by cosine similarity; empty if the index has no embedding model. */
  semantic(
    embedding: Float32Array,
    vectorIds: string[],
    limit: number,
    files?: FileSelection,
  ): Promise<{ id: string; similarity: number }[]>
}

export interface PassageIndexOptions {
  directory: string
  embedding?: IndexModel
  /**
   * Streams every stored passage in id order, including those of files that are still being read, for rebuilding the index. The text of an
   * id never changes.
   */
  passages: () => AsyncIterable<PassageRecord[]>
  /** Prevents changes in a directory that no longer belongs to the box. */
  dataDirectory?: Pick<DataDirectory, "isInPlace" | "requireIntact"> | undefined
  /** Without a stamp, an older copy of the database or of the index isn't detected. */
  stamp?: IndexStamp
  /** Store that holds the tables instead of the directory. */
  store?: TableStore | undefined
  logger: IndexLogger
}

/** LanceDB keeps the files of replaced indices open while the table is open, so the table is reopened after this many optimisations. */
const optimisationsPerTable = 4

/**
 * Opens the index without loading LanceDB; the first use does that. An index that is missing, damaged or made for another embedding model
 * is set aside and rebuilt in the background.
 */
export async function openPassageIndex(options: PassageIndexOptions): Promise<PassageIndex> {
  const { directory, embedding: model, dataDirectory, stamp, store, logger } = options
  const files = createIndexFiles({
    directory,
    model,
    stamp,
    store,
    isInPlace: () => dataDirectory?.isInPlace() !== false,
    logger,
  })
  return new LanceIndex(options, files, await startIndex(files, logger))
}

/** Searches are bound functions, because callers copy the index and replace some of its members. */
class LanceIndex implements PassageIndex {
  readonly #options: PassageIndexOptions
  readonly #files: IndexFiles
  readonly #condition: IndexCondition
  readonly #dictionary: TermDictionary
  readonly #tables: ReturnType<typeof createTableOpener>
  readonly #queue: ReturnType<typeof createWriteQueue>
  readonly #maintenance: ReturnType<typeof createMaintenance>
  readonly #rebuild: ReturnType<typeof createRebuild>
  readonly #removals = createRemovals()
  readonly #closing = new AbortController()
  #optimisations = 0
  /** A change failed, for example while the index was closing, so the next start must compare. */
  #hasMissed = false
  #isRenewing = false

  constructor(options: PassageIndexOptions, files: IndexFiles, condition: IndexCondition) {
    const { embedding: model, passages, dataDirectory, logger } = options
    this.#options = options
    this.#files = files
    this.#condition = condition
    this.#dictionary = createTermDictionary({
      directory: files.terms,
      state: dictionaryStates[condition],
      logger,
    })
    this.#tables = createTableOpener({
      files,
      dimensions: model?.dimensions,
      requireIntact: () => dataDirectory?.requireIntact(),
      hasTable: condition === "clean",
      replaced: () => {
        this.#dictionary.reset()
        this.#rebuild.start({ compare: false })
      },
      logger,
    })
    this.#queue = createWriteQueue(
      (change) => this.#commit(change),
      () => this.#noteMissed(),
    )
    this.#maintenance = createMaintenance(() => this.#queue.add({ kind: "optimize" }), logger)
    this.#rebuild = createRebuild({
      passages,
      contents: (range, take) =>
        this.#tables.use(async (table) => {
          for await (const some of table.contents(range)) take(some)
        }),
      put: (records) => this.#queue.add({ kind: "put", passages: records }),
      remove: (ids) => this.#queue.add({ kind: "remove", column: "id", ids }),
      logger,
    })
    if (condition !== "clean") this.#rebuild.start({ compare: condition === "unclean" })
  }

  get state(): PassageIndexState {
    return this.#rebuild.state
  }

  async put(records: PassageRecord[]): Promise<void> {
    if (records.length === 0) return
    for (const { id, vectorId, fileId } of records) [id, vectorId, fileId].forEach(requireId)
    this.#rebuild.added(records)
    await this.#queue.add({ kind: "put", passages: records })
  }

  removeFile(fileId: string): Promise<void> {
    return this.#remove("fileId", fileId)
  }

  removeFolder(vectorId: string): Promise<void> {
    return this.#remove("vectorId", vectorId)
  }

  readonly keyword: PassageIndex["keyword"] = async (query, vectorIds, limit, files) => {
    const { searchKeywords } = await import("./keyword-search.ts") // loads the words of many languages, which aren't needed at start
    const deps = { search: this.#search, getTermLookup: this.#getTermLookup }
    return searchKeywords(deps, query, vectorIds, limit, files)
  }

  readonly semantic: PassageIndex["semantic"] = async (embedding, vectorIds, limit, files) => {
    if (vectorIds.length === 0 || embedding.length !== this.#options.embedding?.dimensions) return []
    const hits = await this.#search((table, hasOwners) =>
      table.semantic(embedding, vectorIds, limit, hasOwners, files),
    )
    return hits.map(({ id, similarity }) => ({ id, similarity }))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#maintenance.stop()
    this.#closing.abort()
    const rebuilt = await this.#rebuild.stop()
    const written = await this.#queue.close()
    const outcome = await this.#tables.close()
    await this.#files.close()
    if (this.#isInPlace()) await this.#dictionary.close()
    const isWhole =
      outcome === "unopened" ? this.#condition === "clean" : outcome === "closed" && rebuilt && written
    if (!isWhole || this.#hasMissed || !this.#isInPlace()) return
    await this.#files.markClean().catch((error: unknown) => {
      const message = "The search index is compared with the database at the next start"
      this.#options.logger.warn({ err: error }, message)
    })
    if (this.#hasMissed) this.#files.markUncleanNow() // a change failed while the files were flushed
  }

  #isInPlace(): boolean {
    return this.#options.dataDirectory?.isInPlace() !== false
  }

  #noteMissed(): void {
    this.#hasMissed = true
    if (this.#isInPlace()) this.#files.markUncleanNow()
  }

  async #commit(change: Change): Promise<void> {
    this.#options.dataDirectory?.requireIntact()
    requireTemporaryFiles() // LanceDB panics if it sorts without space for temporary files
    if (change.kind === "optimize") return this.#optimize()
    if (change.kind === "remove") return this.#commitRemoval(change)
    const heard: TermSource[] = []
    const rows = await toRows(change.passages, this.#options.embedding?.dimensions, heard)
    await this.#dictionary.add(heard)
    this.#maintenance.changed(rows.length, await this.#tables.use((table) => table.upsert(rows)))
  }

  async #optimize(): Promise<void> {
    await this.#settleDictionary()
    await this.#tables.use((table) => table.optimize())
    if (++this.#optimisations % optimisationsPerTable === 0) await this.#tables.reopen()
  }

  async #commitRemoval({ column, ids }: Extract<Change, { kind: "remove" }>): Promise<void> {
    if (column === "vectorId") await this.#dictionary.removeFolders(ids)
    const { removed, partRows } = await this.#tables.use((table) => table.removeBy(column, ids))
    await this.#dictionary.passagesRemoved(removed)
    this.#maintenance.changed(ids.length, partRows)
  }

  /** Checks the words that misspelt words are compared with, and rebuilds them after a crash or after many removed passages. */
  async #settleDictionary(): Promise<void> {
    const rows = await this.#tables.use(async (table) => table.rows)
    if (!(await this.#dictionary.settle(rows))) return
    await this.#tables.use((table) => this.#dictionary.renew(table.terms(), this.#closing.signal))
  }

  async #remove(column: OwnerColumn, id: string): Promise<void> {
    requireId(id)
    this.#rebuild.removed(id)
    await this.#removals.hide(id, () => this.#queue.add({ kind: "remove", column, ids: [id] }))
  }

  readonly #search = <Hit extends TableHit>(
    find: (table: LanceTable, hasOwners: boolean) => Promise<Hit[]>,
  ): Promise<Hit[]> =>
    this.#removals.search((hasOwners) => this.#tables.use((table) => find(table, hasOwners)))

  /** A dictionary that isn't usable yet is rebuilt, once, when someone searches. */
  readonly #getTermLookup = async (vectorIds: string[]): Promise<TermLookup | null> => {
    const terms = await this.#dictionary.getTermLookup(vectorIds)
    if (terms !== null) this.#isRenewing = false
    else if (!this.#isRenewing) {
      this.#isRenewing = true
      this.#queue.add({ kind: "optimize" }).catch(() => undefined) // the index is closing; other failures are logged elsewhere
    }
    return terms
  }
}

const dictionaryStates = { absent: "new", clean: "kept", unclean: "doubtful" } as const

/** Prepares the files for this run, and returns the condition in which the last run left them. */
async function startIndex(files: IndexFiles, logger: IndexLogger) {
  const condition = await files.condition()
  await files.begin()
  if (condition === "absent") await files.clear()
  // Done now, because otherwise a crash between a deletion in the database and the one in the index would go undetected.
  if (condition === "clean")
    await files.markUnclean().catch((error: unknown) => {
      if (!isDiskFull(error)) throw error
      logger.warn({ err: error }, "A crash would leave deleted passages in the search index")
    })
  return condition
}

/** Converts passages to rows. `heard` receives their terms. */
async function toRows(
  records: PassageRecord[],
  dimensions: number | undefined,
  heard: TermSource[],
): Promise<PassageRow[]> {
  const { analysePassages } = await import("./text/search-text.ts")
  const analysed = await analysePassages(
    records.map((record) => record.text),
    (position, terms) => heard.push({ vectorId: records[position]?.vectorId ?? "", terms }),
  )
  return records.map(({ id, vectorId, fileId, embedding }, position) => ({
    id,
    vectorId,
    fileId,
    text: analysed[position] ?? { words: null, grams: null, language: null },
    // A vector of another model can't be compared, but the passage can still be found by keyword.
    embedding: embedding?.length === dimensions ? embedding : undefined,
  }))
}
