import type {
  IdRange,
  IndexedPassage,
  IndexLogger,
  PassageIndexState,
  PassageRecord,
} from "./passage-record.ts"

const idsPerRemoval = 500
const retryMs = 60_000

export interface RebuildDeps {
  /** Streams every live passage in id order. */
  passages: () => AsyncIterable<PassageRecord[]>
  /** Passes the index's passages in a range of ids to `take`, in slices. Starts another build if the index is damaged. */
  contents: (range: IdRange, take: (some: IndexedPassage[]) => void) => Promise<void>
  put: (passages: PassageRecord[]) => Promise<void>
  remove: (ids: string[]) => Promise<void>
  logger: IndexLogger
}

interface Run {
  abort: AbortController
  done: Promise<void>
  /** Changes made during the run, because the stream may still show the previous state. */
  removed: Set<string>
  added: Set<string>
}

/**
 * Makes the index match the live passages in the background: adds missing passages, removes deleted ones, and replaces those whose file is
 * now in another folder.
 */
export function createRebuild({ passages, contents, put, remove, logger }: RebuildDeps) {
  let run: Run | undefined
  let indexed = 0
  let retry: NodeJS.Timeout | undefined
  let complete = true
  let stopped = false

  /**
   * Looks up a range of ids in the index. Returns whether each passage that is in its stored folder has a vector, and adds those that
   * aren't stored to `surplus`.
   */
  const findIndexed = async (range: IdRange, folders: ReadonlyMap<string, string>, surplus: string[]) => {
    const embedded = new Map<string, boolean>()
    await contents(range, (some) => {
      for (const passage of some) {
        const folder = folders.get(passage.id)
        if (folder === undefined) surplus.push(passage.id)
        else if (folder === passage.vectorId) embedded.set(passage.id, passage.embedded)
      }
    })
    return embedded
  }

  /** Goes through both in id order, so that neither is ever loaded completely. */
  const follow = async ({ abort: { signal }, removed, added }: Run, compare: boolean) => {
    const surplus: string[] = []
    let after: string | undefined
    for await (const batch of passages()) {
      if (signal.aborted) return
      const upTo = batch.at(-1)?.id
      const folders = new Map(batch.map(({ id, vectorId }) => [id, vectorId]))
      const embedded = compare
        ? await findIndexed({ after, upTo }, folders, surplus)
        : new Map<string, boolean>()
      const isIndexed = ({ id, embedding }: PassageRecord) =>
        embedding === undefined ? embedded.has(id) : embedded.get(id) === true
      const missing = batch.filter(
        (record) =>
          !isIndexed(record) &&
          !added.has(record.id) &&
          !removed.has(record.fileId) &&
          !removed.has(record.vectorId),
      )
      if (signal.aborted) return
      if (missing.length > 0) await put(missing)
      after = upTo
      indexed += batch.length
    }
    if (signal.aborted) return
    if (compare) await findIndexed({ after, upTo: undefined }, new Map(), surplus)
    for (let from = 0; from < surplus.length && !signal.aborted; from += idsPerRemoval) {
      const gone = surplus.slice(from, from + idsPerRemoval).filter((id) => !added.has(id))
      if (gone.length > 0) await remove(gone)
    }
    if (!signal.aborted) complete = true
  }

  const start = ({ compare }: { compare: boolean }) => {
    if (stopped) return
    run?.abort.abort()
    clearTimeout(retry)
    complete = false
    indexed = 0
    const current: Run = {
      abort: new AbortController(),
      done: Promise.resolve(),
      removed: new Set(),
      added: new Set(),
    }
    run = current
    current.done = follow(current, compare)
      .catch((error: unknown) => {
        if (current.abort.signal.aborted) return
        logger.error({ err: error }, "Building the search index failed; it is tried again in a minute")
        retry = setTimeout(() => start({ compare: true }), retryMs).unref()
      })
      .finally(() => {
        if (run !== current) return
        run = undefined
        if (complete) logger.info({ passages: indexed }, "The search index is complete")
      })
  }

  return {
    /** `compare`: the index already contains passages, so only the differences are written. */
    start,
    added(records: PassageRecord[]): void {
      if (run) for (const { id } of records) run.added.add(id)
    },
    removed(fileOrFolderId: string): void {
      run?.removed.add(fileOrFolderId)
    },
    get state(): PassageIndexState {
      return complete ? { status: "ready" } : { status: "rebuilding", passages: indexed }
    },
    /** Ends the work; returns whether the index was complete. */
    async stop(): Promise<boolean> {
      stopped = true
      clearTimeout(retry)
      run?.abort.abort()
      return complete
    },
  }
}
