import { readdir } from "node:fs/promises"
import type { Logger } from "../../../core/logging/logger.ts"
import { ignoreFileName, loadIgnoreRules } from "../../../engines/folder-watcher/ignore-rules.ts"
import { watchDirectory, type DirectoryWatch } from "../../../engines/folder-watcher/watch.ts"
import { createDepartures, lastMs } from "./departures.ts"
import type { Directory, KnownDirectory } from "../folder-places.ts"
import { directoryAt, isSameDirectory, type KnownDirectories } from "./known-directories.ts"
import { stillMs, type Look, type LookOptions, type ReconciledFolder } from "./reconcile.ts"

/** A folder whose directory is watched, or looked through now and then. */
export interface FollowedFolder {
  /** False while the directory is missing, such as a drive that isn't plugged in, or files of it are missed. */
  readonly available: boolean
  /** Files that the directory lost, too many at once to be taken for deleted. */
  readonly missing: number
  lookAgain(): void
  /** Looks again if another directory, or drive, than the last time is where this one was. */
  checkPlace(): Promise<void>
  /** Settles when nothing works on the folder any more. */
  stop(): Promise<void>
}

export interface FollowedFolderDeps {
  folder: ReconciledFolder
  logger: Logger
  /** Files that somebody said were deleted: so many may be missing at the first look. */
  accepted: number
  reconcile(options: LookOptions, signal: AbortSignal): Promise<Look>
  /** `available` or `missing` has changed. */
  onAvailability(): void
  directories: KnownDirectories
}

/** Changes are looked at after a moment of silence, but wait no longer than this. */
const quietMs = stillMs + 50
const longestWaitMs = 1_200
const watchedEveryMs = 3_600_000
const unwatchedEveryMs = 60_000
const unavailableEveryMs = 10_000
/** More files than a person deletes in ten minutes are taken out once no more leave. */
export const mostAtOnce = 10
const failureMessage = "A folder couldn't be looked through; it is tried again soon"

/** Starts to follow a folder, beginning with a look at everything in it. */
export function followFolder(deps: FollowedFolderDeps): FollowedFolder {
  const { folder, logger, directories, reconcile } = deps
  const dirty = new Set([""])
  let firstChange = 0
  let newestChange = 0
  let everyMs = watchedEveryMs
  let available = true
  let missing = 0
  let isFirst = true
  let { accepted } = deps
  const departures = createDepartures()
  const stop = new AbortController()
  const stopped = stop.signal
  let watch: DirectoryWatch | undefined
  let watched: Directory | undefined
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
    const known = await directories.of(folder.id)
    const now = await presentDirectory(known)
    if (now === null) return standAside(0)
    if (watched && !isSameDirectory(watched, now)) unwatch()
    if (!folder.managed && missing === 0 && !watch) {
      watch = await openWatch()
      watched = now
    }
    const isOther = known === null || !isSameDirectory(known, now)
    // Of a drive below it that was taken away, a part alone would count as deleted.
    if (isOther || !(await directories.isInPlace(folder))) dirty.add("")
    const waitMs = Math.min(newestChange + quietMs, firstChange + longestWaitMs) - performance.now()
    if (dirty.size > 0 && waitMs > 0) return waitMs
    const isQuiet = performance.now() >= newestChange + quietMs
    const paths = dirty.size > 0 ? [...dirty] : departures.waiting ? [] : [""]
    dirty.clear()
    if (paths.includes(ignoreFileName)) {
      unwatch() // what was ignored wasn't watched
      return 0
    }
    const isDoubtful = folder.managed || isOther || isFirst
    const { device } = now
    const changes = await look({ device, isDoubtful, paths, left: [], mayGo: isQuiet ? mostAtOnce : 0 })
    if (changes.missing > 0) return standAside(changes.missing)
    const left = departures.takeSettled()
    const losses =
      left.length > 0 ? await look({ device, isDoubtful, paths: [], left, mayGo: Infinity }) : null
    if (losses && losses.missing > 0) return standAside(losses.missing)
    for (const path of changes.again) touch(path)
    if (departures.waiting) return lastMs + 50
    accepted = 0
    isFirst = false
    if (known?.inode !== now.inode || isOther) await directories.remember(folder, now)
    const wasMissing = missing > 0
    tell(true, 0)
    if (wasMissing) return 0 // it isn't watched yet
    return dirty.size > 0 ? quietMs : everyMs
  }

  async function look({
    isDoubtful,
    ...where
  }: Pick<LookOptions, "device" | "paths" | "left" | "mayGo"> & { isDoubtful: boolean }): Promise<Look> {
    if (missing === 0) departures.expire()
    const state = missing > 0 ? "missed" : isDoubtful ? "doubtful" : "trusted"
    const known = { accepted, state, removedLately: departures.count } as const
    const seen = await reconcile({ ...where, ...known, formerId: departures.takeId }, stopped)
    departures.remember(seen.removed)
    departures.wait(seen.leaving)
    return seen
  }

  /** Leaves the folder as it is known until its directory is there with what it held. */
  function standAside(lost: number): number {
    accepted = 0
    departures.stopWaiting()
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
    watched = undefined
  }

  /** Null when it isn't there; an empty directory on another device than before is where a drive isn't mounted. */
  async function presentDirectory(known: KnownDirectory | null): Promise<Directory | null> {
    const now = await directoryAt(folder.path).catch(() => null)
    if (now === null || known === null || now.device === known.device) return now
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
    lookAgain() {
      if (available) touch("")
    },
    async checkPlace() {
      if (!available || folder.managed) return
      const isInPlace = await directories.isInPlace(folder).catch(() => false)
      if (!isInPlace && !stopped.aborted) touch("")
    },
    async stop() {
      stop.abort()
      alarm.resolve()
      await following
    },
  }
}
