import type { DataDirectory } from "../../core/data-directory/watch-data-directory.ts"
import { requireTemporaryFiles } from "../../core/files/temporary-files.ts"
import { createIndexFiles, type IndexModel, type IndexStamp } from "./index-files.ts"
import type { PassageRow } from "./lance/arrow-rows.ts"
import type { LanceTable } from "./lance/lance-table.ts"
import type { TableHit } from "./lance/part-search.ts"
import {
  requireId,
  type IndexLogger,
  type OwnerColumn,
  type PassageIndexState,
  type PassageRecord,
} from "./passage-record.ts"
import { createRebuild } from "./rebuild.ts"
import type { KeywordHit } from "./rerank.ts"
import { createTableOpener, isDiskFull } from "./table-keeper.ts"
import type { TableStore } from "./tables-location.ts"
import { createTermDictionary, type TermSource } from "./terms/term-dictionary.ts"
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

export type { PassageIndexState, PassageRecord } from "./passage-record.ts"
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
  /** Best first. */
  keyword(query: string, vectorIds: string[], limit: number): Promise<KeywordHit[]>
  /** Nearest first by cosine similarity; empty if the index has no embedding model. */
  semantic(
    embedding: Float32Array,
    vectorIds: string[],
    limit: number,
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
  place?: Pick<DataDirectory, "isInPlace" | "requireIntact"> | undefined
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
  const { directory, embedding: model, passages, place, stamp, store, logger } = options
  const files = createIndexFiles({
    directory,
    model,
    stamp,
    store,
    isInPlace: () => place?.isInPlace() !== false,
    logger,
  })
  const removals = createRemovals()
  let optimisations = 0
  /** A change failed, for example while the index was closing, so the next start must compare. */
  let missed = false

  const condition = await startIndex(files, logger)
  const dictionary = createTermDictionary({
    directory: files.terms,
    state: dictionaryStates[condition],
    logger,
  })
  const closing = new AbortController()

  const tables = createTableOpener({
    files,
    dimensions: model?.dimensions,
    requireIntact: () => place?.requireIntact(),
    replaced: () => {
      dictionary.reset()
      rebuild.start({ compare: false })
    },
    logger,
  })

  /** Checks the words that misspelt words are compared with, and rebuilds them after a crash or after many removed passages. */
  const settleDictionary = async () => {
    const rows = await tables.use(async (table) => table.rows)
    if (!(await dictionary.settle(rows))) return
    await tables.use((table) => dictionary.renew(table.terms(), closing.signal))
  }

  const commit = async (change: Change): Promise<void> => {
    place?.requireIntact()
    requireTemporaryFiles() // LanceDB panics if it sorts without space for temporary files
    if (change.kind === "optimize") {
      await settleDictionary()
      await tables.use((table) => table.optimize())
      if (++optimisations % optimisationsPerTable === 0) await tables.reopen()
      return
    }
    if (change.kind === "remove") {
      if (change.column === "vectorId") await dictionary.removeFolders(change.ids)
      const { removed, partRows } = await tables.use((table) => table.removeBy(change.column, change.ids))
      await dictionary.passagesRemoved(removed)
      return maintenance.changed(change.ids.length, partRows)
    }
    const heard: TermSource[] = []
    const rows = await toRows(change.passages, model?.dimensions, heard)
    await dictionary.add(heard)
    maintenance.changed(rows.length, await tables.use((table) => table.upsert(rows)))
  }

  const queue = createWriteQueue(commit, () => {
    missed = true
    if (place?.isInPlace() !== false) files.markUncleanNow()
  })
  const maintenance = createMaintenance({ optimize: () => queue.add({ kind: "optimize" }), logger })
  const rebuild = createRebuild({
    passages,
    contents: (range, take) =>
      tables.use(async (table) => {
        for await (const some of table.contents(range)) take(some)
      }),
    put: (records) => queue.add({ kind: "put", passages: records }),
    remove: (ids) => queue.add({ kind: "remove", column: "id", ids }),
    logger,
  })

  const remove = async (column: OwnerColumn, id: string) => {
    requireId(id)
    rebuild.removed(id)
    await removals.hide(id, () => queue.add({ kind: "remove", column, ids: [id] }))
  }

  const search = <Hit extends TableHit>(
    find: (table: LanceTable, hasOwners: boolean) => Promise<Hit[]>,
  ): Promise<Hit[]> => removals.search((hasOwners) => tables.use((table) => find(table, hasOwners)))

  let renewing = false
  /** A dictionary that isn't usable yet is rebuilt, once, when someone searches. */
  const getTermLookup = async (vectorIds: string[]) => {
    const terms = await dictionary.getTermLookup(vectorIds)
    if (terms !== null) renewing = false
    else if (!renewing) {
      renewing = true
      queue.add({ kind: "optimize" }).catch(() => undefined) // the index is closing; other failures are logged elsewhere
    }
    return terms
  }

  if (condition !== "clean") rebuild.start({ compare: condition === "unclean" })

  return {
    get state() {
      return rebuild.state
    },
    async put(records) {
      if (records.length === 0) return
      for (const { id, vectorId, fileId } of records) [id, vectorId, fileId].forEach(requireId)
      rebuild.added(records)
      await queue.add({ kind: "put", passages: records })
    },
    removeFile: (fileId) => remove("fileId", fileId),
    removeFolder: (vectorId) => remove("vectorId", vectorId),

    async keyword(query, vectorIds, limit) {
      const { searchKeywords } = await import("./keyword-search.ts") // loads the words of many languages, which aren't needed at start
      return searchKeywords({ search, getTermLookup }, query, vectorIds, limit)
    },

    async semantic(embedding, vectorIds, limit) {
      if (vectorIds.length === 0 || embedding.length !== model?.dimensions) return []
      const hits = await search((table, hasOwners) => table.semantic(embedding, vectorIds, limit, hasOwners))
      return hits.map(({ id, similarity }) => ({ id, similarity }))
    },

    async [Symbol.asyncDispose]() {
      maintenance.stop()
      closing.abort()
      const rebuilt = await rebuild.stop()
      const written = await queue.close()
      const outcome = await tables.close()
      await files.close()
      if (place?.isInPlace() !== false) await dictionary.close()
      const isWhole =
        outcome === "unopened" ? condition === "clean" : outcome === "closed" && rebuilt && written
      if (!isWhole || missed || place?.isInPlace() === false) return
      await files.markClean().catch((error: unknown) => {
        logger.warn({ err: error }, "The search index is compared with the database at the next start")
      })
      if (missed) files.markUncleanNow() // a change failed while the files were flushed
    },
  }
}

const dictionaryStates = { absent: "new", clean: "kept", unclean: "doubtful" } as const

/** Prepares the files for this run, and returns the condition in which the last run left them. */
async function startIndex(files: ReturnType<typeof createIndexFiles>, logger: IndexLogger) {
  const condition = await files.condition()
  await files.begin()
  if (condition === "absent") await files.clear()
  // Done now, because otherwise a crash between a deletion in the database and the one in the index would go undetected.
  if (condition === "clean")
    await files.markUnclean().catch((error: unknown) => {
      if (!isDiskFull(error)) throw error
      logger.warn({ err: error }, "A crash of the box would leave deleted passages in the search index")
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
