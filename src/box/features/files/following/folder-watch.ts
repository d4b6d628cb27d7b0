import type { Logger } from "../../../core/logging/logger.ts"
import { loadIgnoreRules } from "../../../engines/folder-watcher/ignore-rules.ts"
import { watchDirectory, type DirectoryWatch } from "../../../engines/folder-watcher/watch.ts"
import type { Directory } from "../folder-places.ts"

/** Watches a folder's directory as long as it remains the same directory. */
export interface FolderWatch {
  /** The watched directory. */
  readonly directory: Directory | undefined
  /** Interval of additional scans: one minute if the system can't watch the folder. */
  readonly everyMs: number
  open(directory: Directory): Promise<void>
  close(): void
}

export interface FolderWatchDeps {
  folder: { id: string; path: string }
  logger: Logger
  /** Called when something has changed at this relative path. */
  onChange(path: string): void
  signal: AbortSignal
}

const watchedEveryMs = 3_600_000
const unwatchedEveryMs = 60_000

export function createFolderWatch({ folder, logger, onChange, signal }: FolderWatchDeps): FolderWatch {
  let watch: DirectoryWatch | undefined
  let watched: Directory | undefined
  let everyMs = watchedEveryMs

  function onError(error: unknown): void {
    if (everyMs === unwatchedEveryMs) return
    everyMs = unwatchedEveryMs
    logger.warn({ err: error, folderId: folder.id }, "A folder can't be watched; it is scanned every minute")
  }

  return {
    get directory() {
      return watched
    },
    get everyMs() {
      return everyMs
    },
    async open(directory) {
      everyMs = watchedEveryMs
      const rules = await loadIgnoreRules(folder.path)
      watch = await watchDirectory({ root: folder.path, rules, signal, onChange, onError })
      watched = directory
    },
    close() {
      watch?.close()
      watch = undefined
      watched = undefined
    },
  }
}
