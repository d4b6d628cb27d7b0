import { lstat, readdir } from "node:fs/promises"
import type { Logger } from "../../core/logger.ts"
import { ignoreFileName, loadIgnoreRules } from "../../engines/folder-watcher/ignore-rules.ts"
import { watchDirectory, type DirectoryWatch } from "../../engines/folder-watcher/watch.ts"
import { deviceOf, stillMs, type Look, type LookOptions, type ReconciledFolder } from "./reconcile.ts"

/** A folder whose directory is watched, or looked through now and then. */
export interface FollowedFolder {
  /** False while the directory is missing, such as a drive that isn't plugged in, or files of it are missed. */
  readonly available: boolean
  /** Files that the directory lost, too many at once to be taken for deleted. */
  readonly missing: number
  /** Settles when nothing works on the folder any more. */
  stop(): Promise<void>
}

export interface FollowedFolderDeps {
  folder: ReconciledFolder & { device: string | null }
  logger: Logger
  /** Files that somebody said were deleted: so many may be missing at the first look. */
  accepted: number
  reconcile(options: LookOptions, signal: AbortSignal): Promise<Look>
  /** `available` or `missing` has changed. */
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
/** Files that vanish in less time count as vanished at once. */
const togetherMs = 10 * 60_000
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
  let missing = 0
  let isFirst = true
  let { accepted } = deps
  let removals: { at: number; count: number }[] = []
  const stop = new AbortController()
  const stopped = stop.signal
  let watch: DirectoryWatch | undefined
  let alarm = Promise.withResolvers<void>()
  let restingLong = true

  function touch(path: string): void {
    newestChange = performance.now()
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
    const now = await presentDevice()
    if (now === null) return standAside(0)
    if (!folder.managed && missing === 0) watch ??= await openWatch()
    if (now !== device) dirty.add("")
    const waitMs = Math.min(newestChange + quietMs, firstChange + longestWaitMs) - performance.now()
    if (dirty.size > 0 && waitMs > 0) return waitMs
    const paths = dirty.size > 0 ? [...dirty] : [""]
    dirty.clear()
    if (paths.includes(ignoreFileName)) {
      unwatch() // what was ignored wasn't watched
      return 0
    }
    const look = await reconcile({ paths, device: now, accepted, ...circumstances(now) }, stopped)
    accepted = 0
    isFirst = false
    if (look.missing > 0) return standAside(look.missing)
    removals.push({ at: performance.now(), count: look.removed })
    if (now !== device && !folder.managed) await deps.rememberDevice(now)
    device = now
    const wasMissing = missing > 0
    tell(true, 0)
    if (wasMissing) return 0 // it isn't watched yet
    for (const path of look.again) touch(path)
    return dirty.size > 0 ? quietMs : everyMs
  }

  function circumstances(now: string): Pick<LookOptions, "state" | "removedLately"> {
    removals = removals.filter(({ at }) => performance.now() - at < togetherMs)
    const removedLately = removals.reduce((sum, { count }) => sum + count, 0)
    const isDoubtful = folder.managed || now !== device || isFirst
    return { state: missing > 0 ? "missed" : isDoubtful ? "doubtful" : "trusted", removedLately }
  }

  /** Leaves the folder as it is known until its directory is there with what it held. */
  function standAside(lost: number): number {
    accepted = 0
    unwatch()
    dirty.add("")
    tell(false, lost)
    return unavailableEveryMs
  }

  function tell(nowAvailable: boolean, nowMissing: number): void {
    if (nowAvailable === available && nowMissing === missing) return
    available = nowAvailable
    missing = nowMissing
    deps.onAvailability()
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

  /** Null when it isn't there; an empty directory on another device than before is where a drive isn't mounted. */
  async function presentDevice(): Promise<string | null> {
    const found = await lstat(folder.path).catch(() => null)
    if (!found?.isDirectory()) return null
    const now = await deviceOf(folder.path)
    if (folder.managed || now === device) return now
    return (await readdir(folder.path)).length === 0 ? null : now
  }

  const following = follow()
  return {
    get available() {
      return available
    },
    get missing() {
      return missing
    },
    async stop() {
      stop.abort()
      alarm.resolve()
      await following
    },
  }
}
