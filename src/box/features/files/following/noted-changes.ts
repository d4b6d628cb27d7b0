import { writeSettleMs } from "./survey.ts"

/** Changed paths in a folder that haven't been scanned yet. */
export interface NotedChanges {
  readonly any: boolean
  /** Records a current change at a path. */
  note(path: string): void
  /** Schedules a full scan without recording a current change. */
  noteAll(): void
  /** Returns the time in ms until the changes should be scanned; zero or less if there is nothing to wait for. */
  waitMs(): number
  /** Returns whether nothing has changed for a moment. */
  isQuiet(): boolean
  /** Returns all changed paths and forgets them. */
  take(): string[]
}

/** Changes are scanned after a quiet moment, and at the latest after `maxWaitMs`. */
export const quietMs = writeSettleMs + 50
export const maxWaitMs = 1_200

/** Initially, everything must be scanned. */
export function createNotedChanges(): NotedChanges {
  const paths = new Set([""])
  let first = 0
  let newest = 0

  return {
    get any() {
      return paths.size > 0
    },
    note(path) {
      newest = performance.now()
      if (paths.size === 0) first = newest
      paths.add(path)
    },
    noteAll: () => void paths.add(""),
    waitMs() {
      if (paths.size === 0) return 0
      return Math.min(newest + quietMs, first + maxWaitMs) - performance.now()
    },
    isQuiet: () => performance.now() >= newest + quietMs,
    take() {
      const taken = [...paths]
      paths.clear()
      return taken
    },
  }
}
