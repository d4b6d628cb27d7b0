import { readdir } from "node:fs/promises"
import type { Logger } from "../../../core/logging/logger.ts"
import { ignoreFileName } from "../../../engines/folder-watcher/ignore-rules.ts"
import type { Directory, KnownDirectory } from "../folder-places.ts"
import { createDepartures, lastMs } from "./departures.ts"
import { createFolderWatch } from "./folder-watch.ts"
import { directoryAt, isSameDirectory, type KnownDirectories } from "./known-directories.ts"
import { lookThrough, type BeforeLook } from "./look-through.ts"
import { createNotedChanges, longestWaitMs, quietMs } from "./noted-changes.ts"
import type { Look, LookOptions, ReconciledFolder } from "./reconcile.ts"
import { repeatStep } from "./repeat-step.ts"

/** A folder whose directory is watched, or looked through now and then. */
export interface FollowedFolder {
  /** Its directory is the box's own, in whose place nothing else comes to be. */
  readonly managed: boolean
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

const unavailableEveryMs = 10_000
const failureMessage = "A folder couldn't be looked through; it is tried again soon"

/** Starts to follow a folder, beginning with a look at everything in it. */
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
  const steps = repeatStep(() => step().catch(failed), longestWaitMs, signal)

  function touch(path: string): void {
    changes.note(path)
    steps.hurry()
  }

  /** Does what is due and answers how long nothing will be. */
  async function step(): Promise<number> {
    const known = await directories.of(folder.id)
    const now = await presentDirectory(folder.path, known)
    if (now === null) return standAside(0)
    if (watch.directory && !isSameDirectory(watch.directory, now)) watch.close()
    if (!folder.managed && missing === 0 && !watch.directory) {
      changes.noteAll()
      await watch.open(now)
    }
    const isOther = known === null || !isSameDirectory(known, now)
    // Of a drive below it that was taken away, a part alone would count as deleted.
    if (isOther || !(await directories.isInPlace(folder))) changes.noteAll()
    const waitMs = changes.waitMs()
    if (waitMs > 0) return waitMs
    const isQuiet = changes.isQuiet()
    const paths = changes.any ? changes.take() : departures.waiting ? [] : [""]
    if (paths.includes(ignoreFileName)) {
      watch.close() // what was ignored wasn't watched
      return 0
    }
    const isDoubtful = folder.managed || isOther || isFirst
    const state = missing > 0 ? "missed" : isDoubtful ? "doubtful" : "trusted"
    const before: BeforeLook = { device: now.device, accepted, state, isQuiet }
    const found = await lookThrough(paths, before, departures, (options) => reconcile(options, signal))
    if (found.missing > 0) return standAside(found.missing)
    for (const path of found.again) touch(path)
    if (departures.waiting) return lastMs + 50
    accepted = 0
    isFirst = false
    if (known?.inode !== now.inode || isOther) await directories.remember(folder, now)
    const wasMissing = missing > 0
    tell(true, 0)
    if (wasMissing) return 0 // it isn't watched yet
    return changes.any ? quietMs : watch.everyMs
  }

  function failed(error: unknown): number {
    if (!signal.aborted) logger.warn({ err: error, folderId: folder.id }, failureMessage)
    changes.noteAll()
    return unavailableEveryMs
  }

  /** Leaves the folder as it is known until its directory is there with what it held. */
  function standAside(lost: number): number {
    accepted = 0
    departures.stopWaiting()
    watch.close()
    changes.noteAll()
    tell(false, lost)
    return unavailableEveryMs
  }

  function tell(nowAvailable: boolean, nowMissing: number): void {
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
    lookAgain() {
      if (available) touch("")
    },
    async checkPlace() {
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

/** Null when it isn't there; an empty directory on another device than before is where a drive isn't mounted. */
async function presentDirectory(path: string, known: KnownDirectory | null): Promise<Directory | null> {
  const now = await directoryAt(path).catch(() => null)
  if (now === null || known === null || now.device === known.device) return now
  return (await readdir(path)).length === 0 ? null : now
}
