import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { Place } from "../../core/data-directory/watch-place.ts"
import { requireTemporaryFiles } from "../../core/files/temporary-files.ts"
import { createIndexFiles, type IndexModel, type IndexStamp } from "./index-files.ts"
import type { PassageRow } from "./arrow-rows.ts"
import type { TableHit } from "./lance-part.ts"
import type { LanceTable } from "./lance-table.ts"
import { loadLanceTable } from "./load-lance-table.ts"
import { createMaintenance } from "./maintenance.ts"
import {
  requireId,
  type IndexLogger,
  type OwnerColumn,
  type PassageIndexState,
  type PassageRecord,
} from "./passage-record.ts"
import { createRebuild } from "./rebuild.ts"
import { rerank, type KeywordHit } from "./rerank.ts"
import { analysePassages, analyseQuery, type AnalysedQuery } from "./search-text.ts"
import { respelled, unseenWords } from "./spelling.ts"
import { createWriteQueue, type Change } from "./write-queue.ts"

export type { PassageIndexState, PassageRecord } from "./passage-record.ts"
export type { KeywordHit } from "./rerank.ts"

/** Keyword and semantic search over passages. The database is the truth; this can be built anew from it at any time. */
export interface PassageIndex extends AsyncDisposable {
  readonly state: PassageIndexState
  /** Adds passages or replaces those with the same id. Settles when they can be found. */
  put(passages: PassageRecord[]): Promise<void>
  /** From the call on, no passage of the file is found. Settles when they are gone. */
  removeFile(fileId: string): Promise<void>
  /** From the call on, no passage of the folder is found. Settles when they are gone. */
  removeFolder(vectorId: string): Promise<void>
  /** Best first. */
  keyword(query: string, vectorIds: string[], limit: number): Promise<KeywordHit[]>
  /** Nearest first by cosine similarity; nothing when the index has no embedding model. */
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
   * Streams every stored passage in the order of ids, also of files that are still being read, for building the index
   * anew. The text of an id never changes.
   */
  passages: () => AsyncIterable<PassageRecord[]>
  /** Nothing is changed in a directory that isn't its own any more. */
  place?: Pick<Place, "isKept" | "requireKept"> | undefined
  /** Without one, an older copy of the database or of the index isn't noticed. */
  stamp?: IndexStamp
  logger: IndexLogger
}

const repairLimit = 3
/** LanceDB keeps the files of replaced indices open for as long as the table is, so it is opened anew now and then. */
const optimisationsPerTable = 4
/** Passages that are ordered again by what BM25 can't see; beyond these it has always been right. */
const candidateMinimum = 40

/**
 * Opens the index without loading LanceDB; the first use does that. What is missing, damaged or made for another
 * embedding model is set aside and built anew in the background.
 */
export async function openPassageIndex({
  directory,
  embedding: model,
  passages,
  place,
  stamp,
  logger,
}: PassageIndexOptions): Promise<PassageIndex> {
  const files = createIndexFiles({ directory, model, stamp })
  /** Files and folders whose removal is waiting, and how often. */
  const removing = new Map<string, number>()
  /** For each running search, what was removed before it ended: LanceDB may show it the state before. */
  const searches = new Set<Set<string>>()
  let opened: Promise<LanceTable> | undefined
  let optimisations = 0
  let repairs = 0
  let closed = false
  /** Something was to be changed and wasn't, such as while this closed: the next start has to compare. */
  let missed = false

  const openTable = async () => {
    process.env["LANCEDB_LOG"] ??= "error" // its warnings aren't JSON and concern nobody
    const { openLanceTable } = await loadLanceTable().catch((cause: unknown) => {
      throw new AppError("unavailable", sentence("search.engine_not_loaded"), { cause })
    })
    await files.markUnclean()
    return openLanceTable({ directory: files.tables, dimensions: model?.dimensions })
  }

  /** Sets the broken table aside, opens an empty one and fills it in the background. */
  const replaceTable = async (error: unknown): Promise<LanceTable> => {
    if (error instanceof AppError) throw error
    if (isDiskFull(error)) throw diskFull(error)
    if (++repairs > repairLimit) {
      throw new AppError("internal", sentence("search.keeps_failing"), {
        cause: error,
      })
    }
    logger.warn({ err: error }, "the search index is damaged: it is set aside and built anew")
    await files.setAside()
    const table = await openTable()
    rebuild.start({ compare: false })
    return table
  }

  const keep = (opening: Promise<LanceTable>) => {
    opened = opening
    opening.catch(() => {
      if (opened === opening) opened = undefined // the next use tries again
    })
    return opening
  }

  const table = () => {
    if (closed) throw new AppError("unavailable", sentence("search.closed"))
    return opened ?? keep(openTable().catch(replaceTable))
  }

  /** Runs one operation; files that turn out to be damaged are replaced and the operation made on the new table. */
  const withTable = async <T>(operation: (table: LanceTable) => Promise<T>): Promise<T> => {
    const promised = table()
    const current = await promised
    try {
      return await operation(current).catch((error: unknown) => {
        if (error instanceof AppError || isDiskFull(error)) throw error
        requireTemporaryFiles() // without one it says nothing about the files
        return operation(current) // a commit may have replaced files under it
      })
    } catch (error) {
      if (error instanceof AppError) throw error
      if (isDiskFull(error)) throw diskFull(error)
      if (closed) throw new AppError("unavailable", sentence("search.closed"), { cause: error })
      if (opened !== promised) return operation(await table()) // another operation has replaced it
      if (isHarmless(error)) {
        throw new AppError("internal", sentence("search.could_not_do"), { cause: error })
      }
      current.close()
      return operation(await keep(replaceTable(error)))
    }
  }

  /** Searches that run go on: what they need of the table so far stays until they end. */
  const reopen = async (): Promise<void> => {
    const before = await table()
    await keep(openTable().catch(replaceTable))
    before.close()
  }

  const commit = async (change: Change): Promise<void> => {
    place?.requireKept()
    requireTemporaryFiles() // LanceDB panics where it sorts and has no place for it
    if (change.kind === "optimize") {
      await withTable((table) => table.optimize())
      if (++optimisations % optimisationsPerTable === 0) await reopen()
      return
    }
    if (change.kind === "remove") {
      const partRows = await withTable((table) => table.removeBy(change.column, change.ids))
      return maintenance.changed(change.ids.length, partRows)
    }
    const rows = await toRows(change.passages, model?.dimensions)
    maintenance.changed(rows.length, await withTable((table) => table.upsert(rows)))
  }

  const queue = createWriteQueue(commit, () => {
    missed = true
    files.markUncleanNow()
  })
  const maintenance = createMaintenance({ optimize: () => queue.add({ kind: "optimize" }), logger })
  const rebuild = createRebuild({
    passages,
    contents: (range, take) =>
      withTable(async (table) => {
        for await (const some of table.contents(range)) take(some)
      }),
    put: (records) => queue.add({ kind: "put", passages: records }),
    remove: (ids) => queue.add({ kind: "remove", column: "id", ids }),
    logger,
  })

  const remove = async (column: OwnerColumn, id: string) => {
    requireId(id)
    rebuild.removed(id)
    for (const gone of searches) gone.add(id)
    removing.set(id, (removing.get(id) ?? 0) + 1)
    try {
      await queue.add({ kind: "remove", column, ids: [id] })
    } finally {
      const left = (removing.get(id) ?? 1) - 1
      if (left > 0) removing.set(id, left)
      else removing.delete(id)
    }
  }

  const search = async <Hit extends TableHit>(
    find: (table: LanceTable) => Promise<Hit[]>,
  ): Promise<Hit[]> => {
    const gone = new Set(removing.keys())
    searches.add(gone)
    try {
      const hits = await withTable(find)
      return hits.filter((hit) => !gone.has(hit.fileId) && !gone.has(hit.vectorId))
    } finally {
      searches.delete(gone)
    }
  }

  const condition = await files.condition()
  await files.begin()
  if (condition === "absent") await files.clear()
  if (condition !== "clean") rebuild.start({ compare: condition === "unclean" })
  // Already now, or a crash between a deletion in the database and the one in here would go unnoticed.
  else
    await files.markUnclean().catch((error: unknown) => {
      if (!isDiskFull(error)) throw error
      logger.warn({ err: error }, "A crash of the box would leave deleted passages in the search index")
    })

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
      const analysed = analyseQuery(query)
      if (vectorIds.length === 0 || analysed.groups.length === 0) return []
      const wanted = Math.max(candidateMinimum, limit)
      const holding = ({ groups }: AnalysedQuery) =>
        search((table) => table.keyword([...new Set(groups.flat())], vectorIds, wanted))
      const candidates = await holding(analysed)
      const unseen = unseenWords(analysed, candidates)
      // Looking up how a word may be spelt takes ten times as long as looking whether some passage has it as it is.
      const holders = await Promise.all(
        unseen.map((forms) => search((table) => table.keyword(forms, vectorIds, 1))),
      )
      const unknown = unseen.filter((_, index) => holders[index]?.length === 0)
      if (unknown.length === 0) return rerank(analysed, candidates).slice(0, limit)
      const similar = await search((table) => table.similar(unknown.flat(), vectorIds, candidateMinimum))
      const better = respelled(analysed, unknown, similar)
      return rerank(better ?? analysed, better ? await holding(better) : candidates).slice(0, limit)
    },

    async semantic(embedding, vectorIds, limit) {
      if (vectorIds.length === 0 || embedding.length !== model?.dimensions) return []
      const hits = await search((table) => table.semantic(embedding, vectorIds, limit))
      return hits.map(({ id, similarity }) => ({ id, similarity }))
    },

    async [Symbol.asyncDispose]() {
      maintenance.stop()
      const rebuilt = await rebuild.stop()
      const written = await queue.close()
      closed = true
      const current = await opened?.catch(() => undefined)
      current?.close()
      const isWhole = opened ? current && rebuilt && written : condition === "clean"
      if (!isWhole || missed || place?.isKept() === false) return
      await files.markClean().catch((error: unknown) => {
        logger.warn({ err: error }, "The search index is compared with the database at the next start")
      })
      if (missed) files.markUncleanNow() // while the files were flushed
    },
  }
}

async function toRows(records: PassageRecord[], dimensions: number | undefined): Promise<PassageRow[]> {
  const analysed = await analysePassages(records.map((record) => record.text))
  return records.map(({ id, vectorId, fileId, embedding }, position) => ({
    id,
    vectorId,
    fileId,
    text: analysed[position] ?? { words: null, grams: null, language: null },
    // A vector of another model can't be compared: the passage stays findable by keyword.
    embedding: embedding?.length === dimensions ? embedding : undefined,
  }))
}

function isDiskFull(error: unknown): boolean {
  return (
    error instanceof Error && /ENOSPC|no space left|os error 28|os error 112|disk full/i.test(error.message)
  )
}

/** Errors that say nothing about the files: a refused argument, a limit of time or of open files. */
function isHarmless(error: unknown): boolean {
  return error instanceof Error && /invalid input|timed? ?out|too many open files/i.test(error.message)
}

function diskFull(cause: unknown): AppError {
  return new AppError("disk_full", sentence("core.disk_full"), { cause })
}
