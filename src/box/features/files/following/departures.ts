import { pathOf, type FileRow } from "../file-entry.ts"

/**
 * Files that left a followed directory. They stay known while more are leaving, because a program may empty it one by one,
 * and one that comes back soon after it was taken out is the same document: it gets its id back.
 */
export interface Departures {
  /** Files wait until no more leave. */
  readonly waiting: boolean
  /** Notes files, by id, that are gone and are to wait. */
  wait(fileIds: readonly string[]): void
  /** Those that wait, once none has joined them for a moment, or they have for too long; until then none. */
  takeSettled(): string[]
  /** Lets none wait any more: the directory as a whole is in doubt. */
  stopWaiting(): void
  /** Remembers files that were taken out. */
  remember(files: readonly FileRow[]): void
  /** Forgets those that were taken out longer ago than what counts as at once. */
  expire(): void
  /** How many are remembered. */
  readonly count: number
  /** What a file at this path was; asked once. */
  take(path: string): FormerFile | undefined
}

/** A file that was taken for deleted a short while ago. */
export type FormerFile = Pick<FileRow, "id" | "leftOut" | "arrivedRevision" | "arrivedHash" | "generatedBy">

/** Between a look that found more files gone and one that takes them out: 2 s after the last went they are out. */
export const lastMs = 350
/** Files that vanish in less time count as vanished at once. */
const togetherMs = 10 * 60_000
/** About 25 MB. */
const mostRemembered = 100_000

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
      if (performance.now() < Math.min(newest + lastMs, oldest + togetherMs)) return []
      const settled = [...waiting]
      waiting.clear()
      return settled
    },
    stopWaiting: () => waiting.clear(),

    remember(files) {
      for (const file of files) {
        const path = pathOf(file)
        remembered.delete(path) // so that the newest are last
        const { id, leftOut, arrivedRevision, arrivedHash, generatedBy } = file
        const at = performance.now()
        remembered.set(path, { id, leftOut, arrivedRevision, arrivedHash, generatedBy, at })
      }
      for (const path of remembered.keys()) {
        if (remembered.size <= mostRemembered) break
        remembered.delete(path)
      }
    },
    expire() {
      for (const [path, { at }] of remembered) {
        if (performance.now() - at < togetherMs) break
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
