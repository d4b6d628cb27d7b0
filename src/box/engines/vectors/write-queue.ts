import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { OwnerColumn, PassageRecord, IndexLogger } from "./passage-record.ts"

/** Rows per commit: enough to make a commit's fixed cost negligible, few enough for a short pause. */
const rowsPerCommit = 1_000
/** Maximum number of pending passages. Callers wait for their own, so only a faulty caller reaches this. */
const waitingLimit = 100_000

export type Change =
  | { kind: "put"; passages: PassageRecord[] }
  | { kind: "remove"; column: OwnerColumn | "id"; ids: string[] }
  | { kind: "optimize" }

interface Job {
  change: Change
  done: PromiseWithResolvers<void>
}

/**
 * The single writer. Changes are made in order of arrival, and adjacent changes of one kind share a commit. `commit` makes one change;
 * `onMissed` is called when a change failed or arrived after the queue was closed.
 */
export function createWriteQueue(
  commit: (change: Change) => Promise<void>,
  onMissed: () => void = () => undefined,
) {
  const jobs: Job[] = []
  let waiting = 0
  let running: Promise<void> | undefined
  let closed = false

  const run = async () => {
    while (jobs.length > 0) {
      const group = takeGroup(jobs)
      for (const job of group) waiting -= size(job.change)
      try {
        await commit(merge(group.map((job) => job.change)))
        for (const job of group) job.done.resolve()
      } catch (error) {
        if (group[0]?.change.kind !== "optimize") onMissed()
        for (const job of group) job.done.reject(error)
      }
    }
    running = undefined
  }

  return {
    /** Settles when the change is committed. Throws `AppError` `unavailable` when too many changes are pending. */
    async add(change: Change): Promise<void> {
      if (closed) {
        onMissed()
        throw closing()
      }
      if (waiting + size(change) > waitingLimit) {
        throw new AppError("unavailable", sentence("search.too_much_to_write"))
      }
      const done = Promise.withResolvers<void>()
      jobs.push({ change, done })
      waiting += size(change)
      running ??= run()
      await done.promise
    },

    /** Finishes the running commit and refuses pending changes. Returns true if nothing was refused. */
    async close(): Promise<boolean> {
      closed = true
      const refused = jobs.splice(0)
      for (const job of refused) job.done.reject(closing())
      await running
      return refused.every((job) => job.change.kind === "optimize")
    },
  }
}

/** Returns the jobs for the next commit: adjacent changes of one kind, up to the size of a commit. */
function takeGroup(jobs: Job[]): Job[] {
  const first = jobs[0]
  if (!first) return []
  let rows = size(first.change)
  let count = 1
  for (const job of jobs.slice(1, rowsPerCommit)) {
    rows += size(job.change)
    if (rows > rowsPerCommit || !shareCommit(first.change, job.change)) break
    count++
  }
  return jobs.splice(0, count)
}

function shareCommit(a: Change, b: Change): boolean {
  return a.kind === b.kind && (a.kind !== "remove" || b.kind !== "remove" || a.column === b.column)
}

function merge(changes: Change[]): Change {
  const first = changes[0]
  if (first?.kind === "remove") {
    return { ...first, ids: changes.flatMap((change) => (change.kind === "remove" ? change.ids : [])) }
  }
  if (first?.kind !== "put") return { kind: "optimize" }
  // LanceDB stores a row twice if one commit contains it twice, so only the last one is kept.
  const byId = new Map<string, PassageRecord>()
  for (const change of changes) {
    if (change.kind === "put") for (const passage of change.passages) byId.set(passage.id, passage)
  }
  return { kind: "put", passages: [...byId.values()] }
}

function size(change: Change): number {
  if (change.kind === "put") return change.passages.length
  return change.kind === "remove" ? change.ids.length : 0
}

function closing(): AppError {
  return new AppError("unavailable", sentence("search.closing"))
}

/** Every search scans unindexed rows: 1,000 take about 7 ms. */
const minRowsBeforeOptimize = 5_000
/** Indexing new rows rewrites their part's keyword index, so it may wait until they are this share of the part. */
const shareBeforeOptimize = 0.15
/** Number of rows that even a small commit is treated as, because each commit leaves files behind. */
const rowsOfCommit = 150
const idleMs = 2_000
/** Long enough for the versions that the last run had to keep to become old enough for deletion. */
const pruneMs = 8_000

/**
 * Decides when the index is optimised: after many changes, and when writing pauses.
 * @param optimize queues one optimisation after the pending changes
 */
export function createMaintenance(optimize: () => Promise<void>, logger: IndexLogger) {
  /** Number of rows not yet indexed. */
  let waiting = 0
  let timer: NodeJS.Timeout | undefined
  let queued = false
  let stopped = false

  const later = (delayMs: number) => {
    clearTimeout(timer)
    if (!stopped) timer = setTimeout(run, delayMs).unref()
  }

  const run = () => {
    if (queued || stopped) return
    queued = true
    const changed = waiting > 0
    waiting = 0
    optimize()
      .catch((error: unknown) => {
        if (!stopped) logger.warn({ err: error }, "The search index couldn't be optimised")
      })
      .finally(() => {
        queued = false
        if (changed) later(pruneMs)
      })
  }

  return {
    /** Call this after each commit, with its number of rows and that of the part that takes new ones. */
    changed(rows: number, partRows: number): void {
      waiting += Math.max(rows, rowsOfCommit)
      if (waiting >= Math.max(minRowsBeforeOptimize, partRows * shareBeforeOptimize)) run()
      else later(idleMs)
    },
    stop(): void {
      stopped = true
      clearTimeout(timer)
    },
  }
}
