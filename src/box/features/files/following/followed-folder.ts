import { readdir } from "node:fs/promises"
import type { Logger } from "../../../core/logging/logger.ts"
import { ignoreFileName } from "../../../engines/folder-watcher/ignore-rules.ts"
import type { Directory, KnownDirectory } from "../folder-places.ts"
import { createDepartures, departureQuietMs } from "./departures.ts"
import { createFolderWatch } from "./folder-watch.ts"
import { directoryAt, isSameDirectory, type KnownDirectories } from "./known-directories.ts"
import { scanPaths, type ScanState } from "./scan-paths.ts"
import { createNotedChanges, maxWaitMs, quietMs } from "./noted-changes.ts"
import type { ScanResult, ScanOptions, ReconciledFolder } from "./reconcile.ts"
import { repeatStep } from "./repeat-step.ts"

/** A folder whose directory is watched or scanned periodically. */
export interface FollowedFolder {
  /** Whether the directory is the box's own, which nothing else replaces. */
  readonly managed: boolean
  /** False if the directory is missing, for example on an unplugged drive, or if files in it are missing. */
  readonly available: boolean
  /** Number of missing files, if they are too many at once to be treated as deleted. */
  readonly missing: number
  rescan(): void
  /** Scans again if another directory or drive has replaced this one. */
  checkDirectory(): Promise<void>
  /** Settles when all work on the folder has stopped. */
  stop(): Promise<void>
}

export interface FollowedFolderDeps {
  folder: ReconciledFolder
  logger: Logger
  /** Number of files that a user confirmed as deleted. That many may be missing at the first scan. */
  accepted: number
  reconcile(options: ScanOptions, signal: AbortSignal): Promise<ScanResult>
  /** Called when `available` or `missing` has changed. */
  onAvailability(): void
  directories: KnownDirectories
}

const unavailableEveryMs = 10_000
const failureMessage = "Scanning a folder failed; it is retried soon"

/** Starts following a folder, beginning with a full scan. */
export function followFolder(deps: FollowedFolderDeps): FollowedFolder {
  const { folder, logger, directories, reconcile } = deps
  let available = true
  let missing = 0
  let isFirst = true
  let { accepted } = deps
  const departures = createDepartures()
  const stop = new AbortController()
  const { signal } = stop
  const changes = createNotedChanges()
  const watch = createFolderWatch({ folder, logger, onChange: touch, signal })
  const steps = repeatStep(() => step().catch(failed), maxWaitMs, signal)

  function touch(path: string): void {
    changes.note(path)
    steps.endLongPause()
  }

  /** Does pending work and returns the time in ms until the next step. */
  async function step(): Promise<number> {
    const known = await directories.of(folder.id)
    const now = await presentDirectory(folder.path, known)
    if (now === null) return markUnavailable(0)
    if (watch.directory && !isSameDirectory(watch.directory, now)) watch.close()
    if (!folder.managed && missing === 0 && !watch.directory) {
      changes.noteAll()
      await watch.open(now)
    }
    const isOther = known === null || !isSameDirectory(known, now)
    // Scans everything: a partial scan would treat files on a missing drive below the directory as deleted.
    if (isOther || !(await directories.isInPlace(folder))) changes.noteAll()
    const waitMs = changes.waitMs()
    if (waitMs > 0) return waitMs
    const isQuiet = changes.isQuiet()
    const paths = changes.any ? changes.take() : departures.waiting ? [] : [""]
    if (paths.includes(ignoreFileName)) {
      watch.close() // previously ignored paths weren't watched
      return 0
    }
    const isDoubtful = folder.managed || isOther || isFirst
    const state = missing > 0 ? "missed" : isDoubtful ? "doubtful" : "trusted"
    const before: ScanState = { device: now.device, accepted, state, isQuiet }
    const found = await scanPaths(paths, before, departures, (options) => reconcile(options, signal))
    if (found.missing > 0) return markUnavailable(found.missing)
    for (const path of found.rescanPaths) touch(path)
    if (departures.waiting) return departureQuietMs + 50
    accepted = 0
    isFirst = false
    if (known?.inode !== now.inode || isOther) await directories.remember(folder, now)
    const wasMissing = missing > 0
    reportState(true, 0)
    if (wasMissing) return 0 // it isn't watched yet
    return changes.any ? quietMs : watch.everyMs
  }

  function failed(error: unknown): number {
    if (!signal.aborted) logger.warn({ err: error, folderId: folder.id }, failureMessage)
    changes.noteAll()
    return unavailableEveryMs
  }

  /** Keeps the known state of the folder until its directory is back with its content. */
  function markUnavailable(lost: number): number {
    accepted = 0
    departures.stopWaiting()
    watch.close()
    changes.noteAll()
    reportState(false, lost)
    return unavailableEveryMs
  }

  function reportState(nowAvailable: boolean, nowMissing: number): void {
    if (nowAvailable === available && nowMissing === missing) return
    available = nowAvailable
    missing = nowMissing
    deps.onAvailability()
  }

  return {
    managed: folder.managed,
    get available() {
      return available
    },
    get missing() {
      return missing
    },
    rescan() {
      if (available) touch("")
    },
    async checkDirectory() {
      if (!available || folder.managed) return
      const isInPlace = await directories.isInPlace(folder).catch(() => false)
      if (!isInPlace && !signal.aborted) touch("")
    },
    async stop() {
      stop.abort()
      await steps.ended()
      watch.close()
    },
  }
}

/** Returns null if the directory is missing. An empty directory on a different device is a mount point without its drive. */
async function presentDirectory(path: string, known: KnownDirectory | null): Promise<Directory | null> {
  const now = await directoryAt(path).catch(() => null)
  if (now === null || known === null || now.device === known.device) return now
  return (await readdir(path)).length === 0 ? null : now
}
