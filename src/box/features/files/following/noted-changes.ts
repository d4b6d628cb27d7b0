import { stillMs } from "./survey.ts"

/** Paths in a folder at which something has changed that nobody has looked at yet. */
export interface NotedChanges {
  readonly any: boolean
  /** Notes that something changes at a path just now. */
  note(path: string): void
  /** Everything is to be looked at, although nothing is known to change just now. */
  noteAll(): void
  /** How long they are still to be left alone, zero or less if there is nothing to wait for. */
  waitMs(): number
  /** Whether nothing has changed for a moment. */
  isQuiet(): boolean
  /** Answers all of them, which are forgotten. */
  take(): string[]
}

/** Changes are looked at after a moment of silence, but wait no longer than this. */
export const quietMs = stillMs + 50
export const longestWaitMs = 1_200

/** Begins with everything to be looked at. */
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
      return Math.min(newest + quietMs, first + longestWaitMs) - performance.now()
    },
    isQuiet: () => performance.now() >= newest + quietMs,
    take() {
      const taken = [...paths]
      paths.clear()
      return taken
    },
  }
}
