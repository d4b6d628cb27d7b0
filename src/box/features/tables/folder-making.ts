import type { Logger } from "../../core/logging/logger.ts"

/** How long a folder's tables keep being created after the last request, in ms. The next request resumes the work. */
const usualMs = 600_000

/** Returns whether a file's tables could be created now. */
type MakeFile = (fileId: string, signal: AbortSignal) => Promise<boolean>

export interface FolderTableMaker extends AsyncDisposable {
  /**
   * Creates the tables that a folder lacks, whether or not the caller keeps waiting, and resolves with the files that couldn't be
   * processed. Callers that arrive during a pass share one more pass, which includes all changes up to their calls.
   */
  ask(folderId: string, pass: Pass): Promise<ReadonlySet<string>>
  isMaking(folderId: string): boolean
}

/** Finds the tables that a folder lacks and returns how to create them. */
export type Pass = () => Promise<{ fileIds: readonly string[]; make: MakeFile }>

interface Running {
  now: Promise<ReadonlySet<string>>
  next: Promise<ReadonlySet<string>> | undefined
  askedAt: number
}

/** Creates tables of folders in the background, one file at a time in each folder. */
export function createFolderTableMaker(logger: Logger, maxMs = usualMs): FolderTableMaker {
  const folders = new Map<string, Running>()
  const closing = new AbortController()

  async function run(folderId: string, pass: Pass): Promise<ReadonlySet<string>> {
    const failed = new Set<string>()
    if (closing.signal.aborted) return failed
    try {
      const { fileIds, make } = await pass()
      for (const fileId of fileIds) {
        const waited = performance.now() - (folders.get(folderId)?.askedAt ?? 0)
        if (closing.signal.aborted || waited > maxMs) break
        const isMade = await make(fileId, closing.signal).catch((error: unknown) => {
          logger.warn({ err: error, fileId }, "The tables of a file couldn't be made")
          return false
        })
        if (!isMade) failed.add(fileId)
      }
    } catch (error) {
      logger.warn({ err: error, folderId }, "The tables of a folder couldn't be made")
    }
    return failed
  }

  function begin(folderId: string, pass: Pass): Running {
    const running: Running = { now: run(folderId, pass), next: undefined, askedAt: performance.now() }
    folders.set(folderId, running)
    void running.now.then(() => {
      if (folders.get(folderId) === running && !running.next) folders.delete(folderId)
    })
    return running
  }

  return {
    ask(folderId, pass) {
      const running = folders.get(folderId)
      if (!running) return begin(folderId, pass).now
      running.askedAt = performance.now()
      return (running.next ??= running.now.then(() => begin(folderId, pass).now))
    },
    isMaking: (folderId) => folders.has(folderId),
    async [Symbol.asyncDispose]() {
      closing.abort()
      while (folders.size > 0) await Promise.all([...folders.values()].map(({ now, next }) => next ?? now))
    },
  }
}
