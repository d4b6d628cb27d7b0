import type { RereadDeps } from "./reread-files.ts"

/** Reads files again that older readers read, when there is nothing else to do. */
export interface Rereading {
  /** Whether outdated files are left because something else came first. */
  readonly isInterrupted: boolean
  /** Looks for outdated files again at the next `run`. */
  request(): void
  /** Settles when no file is outdated, or something else came first. Returns immediately if there is nothing to do. */
  run(): Promise<void>
  /** Settles when nothing is being read any more. The next `run` continues with the same file. */
  interrupt(): Promise<void>
}

export function createRereading(deps: RereadDeps, signal: AbortSignal): Rereading {
  /** The last file of each folder that was tried. */
  const after = new Map<string, string>()
  let isWanted = true
  let running: { stop: AbortController; done: Promise<void> } | undefined

  async function reread(stop: AbortSignal): Promise<void> {
    isWanted = false
    let isComplete = false
    try {
      const stored = deps.db.selectFrom("files").select("id").where("status", "in", ["completed", "failed"])
      const any = await stored.limit(1).executeTakeFirst()
      // loaded with the first file that may be outdated
      isComplete = !any || (await (await import("./reread-files.ts")).rereadFiles(deps, after, stop))
    } finally {
      isWanted ||= !isComplete
    }
  }

  return {
    get isInterrupted() {
      return isWanted && running === undefined
    },
    request() {
      after.clear()
      isWanted = true
      running?.stop.abort() // it reads files as their folders wanted before
    },
    async run() {
      if (running?.stop.signal.aborted) await running.done.catch(() => undefined)
      if (running || !isWanted || deps.isBusy()) return
      const stop = new AbortController()
      const done = reread(AbortSignal.any([signal, stop.signal])).finally(() => (running = undefined))
      running = { stop, done }
      await done
    },
    async interrupt() {
      running?.stop.abort()
      await running?.done.catch(() => undefined)
    },
  }
}
