import { getPath, type FileRow } from "../file-entry.ts"

/**
 * Files that left a followed directory. They stay known while more are leaving, because a program may empty it one by one. A file that
 * returns soon after its removal is the same document and gets its ID back.
 */
export interface Departures {
  /** Whether files are waiting until no more leave. */
  readonly waiting: boolean
  /** Adds the IDs of files that are gone and must wait. */
  wait(fileIds: readonly string[]): void
  /** Returns the waiting files after none has been added for a moment, or after they have waited too long. Returns none before that. */
  takeSettled(): string[]
  /** Clears the waiting files, because the directory as a whole is in doubt. */
  stopWaiting(): void
  /** Remembers files that were removed from the index. */
  remember(files: readonly FileRow[]): void
  /** Forgets files that were removed longer ago than the period treated as simultaneous. */
  expire(): void
  /** Number of remembered files. */
  readonly count: number
  /** Returns and forgets the file that was at this path. */
  take(path: string): FormerFile | undefined
}

/** A file that was treated as deleted a short while ago. */
export type FormerFile = Pick<FileRow, "id" | "leftOut" | "arrivedRevision" | "arrivedHash" | "generatedBy">

/** Delay between a scan that found more files gone and one that removes them. They are removed 2 s after the last one left. */
export const departureQuietMs = 350
/** Files that vanish within this period are treated as vanishing at once. */
const departureWindowMs = 10 * 60_000
/** About 25 MB. */
const maxRemembered = 100_000

export function createDepartures(): Departures {
  const waiting = new Set<string>()
  let oldest = 0
  let newest = 0
  const remembered = new Map<string, FormerFile & { at: number }>()

  return {
    get waiting() {
      return waiting.size > 0
    },
    wait(fileIds) {
      const before = waiting.size
      for (const id of fileIds) waiting.add(id)
      if (waiting.size === before) return
      newest = performance.now()
      if (before === 0) oldest = newest
    },
    takeSettled() {
      if (performance.now() < Math.min(newest + departureQuietMs, oldest + departureWindowMs)) return []
      const settled = [...waiting]
      waiting.clear()
      return settled
    },
    stopWaiting: () => waiting.clear(),

    remember(files) {
      for (const file of files) {
        const path = getPath(file)
        remembered.delete(path) // so that the newest are last
        const { id, leftOut, arrivedRevision, arrivedHash, generatedBy } = file
        const at = performance.now()
        remembered.set(path, { id, leftOut, arrivedRevision, arrivedHash, generatedBy, at })
      }
      for (const path of remembered.keys()) {
        if (remembered.size <= maxRemembered) break
        remembered.delete(path)
      }
    },
    expire() {
      for (const [path, { at }] of remembered) {
        if (performance.now() - at < departureWindowMs) break
        remembered.delete(path)
      }
    },
    get count() {
      return remembered.size
    },
    take(path) {
      const found = remembered.get(path)
      if (!found) return undefined
      remembered.delete(path)
      const { at: _at, ...former } = found
      return former
    },
  }
}
