import { lstat, readdir } from "node:fs/promises"
import type { Logger } from "../../core/logger.ts"
import { ignoreFileName, loadIgnoreRules } from "../../engines/folder-watcher/ignore-rules.ts"
import { watchDirectory, type DirectoryWatch } from "../../engines/folder-watcher/watch.ts"
import { stillMs, type ReconciledFolder } from "./reconcile.ts"

/** A folder whose directory is watched, or looked through now and then. */
export interface FollowedFolder {
  /** False while the directory is missing, such as a drive that isn't plugged in. */
  readonly available: boolean
  /** Settles when nothing works on the folder any more. */
  stop(): Promise<void>
}

export interface FollowedFolderDeps {
  folder: ReconciledFolder & { device: string | null }
  logger: Logger
  /** Looks at paths that changed; answers those to look at again. */
  reconcile(paths: readonly string[], signal: AbortSignal): Promise<string[]>
  /** `available` has changed. */
  onAvailability(): void
  /** The directory has come to lie on another device. */
  rememberDevice(device: string): Promise<void>
}

/** Changes are looked at after a moment of silence, but wait no longer than this. */
const quietMs = stillMs + 50
const longestWaitMs = 1_200
const watchedEveryMs = 3_600_000
const unwatchedEveryMs = 60_000
const unavailableEveryMs = 10_000
const failureMessage = "A folder couldn't be looked through; it is tried again soon"

/** Starts to follow a folder, beginning with a look at everything in it. */
export function followFolder(deps: FollowedFolderDeps): FollowedFolder {
  const { folder, logger, reconcile } = deps
  const dirty = new Set([""])
  let firstChange = 0
  let newestChange = 0
  let everyMs = watchedEveryMs
  let device = folder.device
  let available = true
  const stop = new AbortController()
  const stopped = stop.signal
  let watch: DirectoryWatch | undefined
  let alarm = Promise.withResolvers<void>()
  let restingLong = true

  function touch(path: string): void {
    newestChange = Date.now()
    if (dirty.size === 0) firstChange = newestChange
    dirty.add(path)
    if (restingLong) alarm.resolve()
  }

  async function follow(): Promise<void> {
    while (!stopped.aborted) {
      alarm = Promise.withResolvers()
      restingLong = true
      const restMs = await step().catch((error: unknown) => {
        if (!stopped.aborted) logger.warn({ err: error, folderId: folder.id }, failureMessage)
        dirty.add("")
        return unavailableEveryMs
      })
      await rest(restMs)
    }
    unwatch()
  }

  /** Changes end a long rest; a short one is the silence that is waited for. */
  async function rest(ms: number): Promise<void> {
    if (stopped.aborted) return
    restingLong = ms > longestWaitMs
    const timer = setTimeout(alarm.resolve, ms).unref()
    await alarm.promise
    clearTimeout(timer)
  }

  /** Does what is due and answers how long nothing will be. */
  async function step(): Promise<number> {
    const before = available
    available = await isThere()
    if (available !== before) deps.onAvailability()
    if (!available) {
      unwatch()
      dirty.add("")
      return unavailableEveryMs
    }
    if (!folder.managed) watch ??= await openWatch()
    const waitMs = Math.min(newestChange + quietMs, firstChange + longestWaitMs) - Date.now()
    if (dirty.size > 0 && waitMs > 0) return waitMs
    const paths = dirty.size > 0 ? [...dirty] : [""]
    dirty.clear()
    if (paths.includes(ignoreFileName)) {
      unwatch() // what was ignored wasn't watched
      return 0
    }
    for (const path of await reconcile(paths, stopped)) touch(path)
    return dirty.size > 0 ? quietMs : everyMs
  }

  async function openWatch(): Promise<DirectoryWatch> {
    dirty.add("")
    everyMs = watchedEveryMs
    return watchDirectory({
      root: folder.path,
      rules: await loadIgnoreRules(folder.path),
      signal: stopped,
      onChange: touch,
      onError(error) {
        if (everyMs === unwatchedEveryMs) return
        everyMs = unwatchedEveryMs
        logger.warn(
          { err: error, folderId: folder.id },
          "A folder can't be watched; it is looked through each minute",
        )
      },
    })
  }

  function unwatch(): void {
    watch?.close()
    watch = undefined
  }

  /** An empty directory on another device than before is where a drive isn't mounted. */
  async function isThere(): Promise<boolean> {
    const found = await lstat(folder.path, { bigint: true }).catch(() => null)
    if (!found?.isDirectory()) return false
    const now = String(found.dev)
    if (folder.managed || now === device) return true
    if ((await readdir(folder.path)).length === 0) return false
    await deps.rememberDevice(now)
    device = now
    return true
  }

  const following = follow()
  return {
    get available() {
      return available
    },
    async stop() {
      stop.abort()
      alarm.resolve()
      await following
    },
  }
}
