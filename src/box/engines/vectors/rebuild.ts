import type { IndexLogger, PassageIndexState, PassageRecord } from "./passage-record.ts"

const idsPerRemoval = 500
const retryMs = 60_000

export interface RebuildDeps {
  /** Every live passage. */
  passages: () => AsyncIterable<PassageRecord[]>
  /** Every passage that the index holds, with whether it has a vector. Begins another build if the index is damaged. */
  contents: () => Promise<Map<string, boolean>>
  put: (passages: PassageRecord[]) => Promise<void>
  remove: (ids: string[]) => Promise<void>
  logger: IndexLogger
}

interface Run {
  abort: AbortController
  done: Promise<void>
  /** What changed while this runs: the stream may still show the state before. */
  removed: Set<string>
  added: Set<string>
}

/** Makes the index equal to the live passages, in the background: puts what is missing, removes what is gone. */
export function createRebuild({ passages, contents, put, remove, logger }: RebuildDeps) {
  let run: Run | undefined
  let indexed = 0
  let retry: NodeJS.Timeout | undefined
  let complete = true
  let stopped = false

  const follow = async ({ abort: { signal }, removed, added }: Run, compare: boolean) => {
    /** What the index holds and the stream has not shown yet, with whether it has a vector. */
    const unknown = compare ? await contents() : new Map<string, boolean>()
    if (signal.aborted) return
    const isIndexed = ({ id, embedding }: PassageRecord) => {
      const embedded = unknown.get(id)
      return unknown.delete(id) && (embedding === undefined || embedded === true)
    }
    for await (const batch of passages()) {
      const missing = batch.filter(
        (record) => !isIndexed(record) && !removed.has(record.fileId) && !removed.has(record.vectorId),
      )
      if (signal.aborted) return
      if (missing.length > 0) await put(missing)
      indexed += batch.length
    }
    const gone = [...unknown.keys()].filter((id) => !added.has(id))
    for (let from = 0; from < gone.length && !signal.aborted; from += idsPerRemoval) {
      await remove(gone.slice(from, from + idsPerRemoval))
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
        logger.error({ err: error }, "building the search index failed; it is tried again in a minute")
        retry = setTimeout(() => start({ compare: true }), retryMs).unref()
      })
      .finally(() => {
        if (run !== current) return
        run = undefined
        if (complete) logger.info({ passages: indexed }, "the search index is complete")
      })
  }

  return {
    /** `compare`: the index already holds passages, so only the differences are written. */
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
