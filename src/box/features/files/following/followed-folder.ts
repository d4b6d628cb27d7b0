import { readdir } from "node:fs/promises"
import type { Logger } from "../../../core/logging/logger.ts"
import { loadIgnoreRules, ignoreFileName } from "../../../engines/folder-watcher/scan.ts"
import { watchDirectory, type DirectoryWatch } from "../../../engines/folder-watcher/watch.ts"
import type { Directory, KnownDirectory } from "../folder-places.ts"
import { type Departures, createDepartures, departureQuietMs } from "./departures.ts"
import { directoryAt, isSameDirectory, type KnownDirectories } from "./known-directories.ts"
import type { ScanResult, ScanOptions, ReconciledFolder } from "./reconcile.ts"
import { writeSettleMs } from "./survey.ts"

/** Watches a folder's directory as long as it remains the same directory. */
interface FolderWatch {
  /** The watched directory. */
  readonly directory: Directory | undefined
  /** Interval of additional scans: one minute if the system can't watch the folder. */
  readonly everyMs: number
  open(directory: Directory): Promise<void>
  close(): void
}

const watchedEveryMs = 3_600_000
const unwatchedEveryMs = 60_000

/**
 * @param onChange called when something has changed at this relative path
 */
function createFolderWatch(
  folder: { id: string; path: string },
  logger: Logger,
  onChange: (path: string) => void,
  signal: AbortSignal,
): FolderWatch {
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

type Reconcile = (options: ScanOptions) => Promise<ScanResult>

/** Known facts about the folder and its directory before a scan. */
interface ScanState extends Pick<ScanOptions, "device" | "accepted" | "state"> {
  /** Whether nothing has changed for a moment. */
  isQuiet: boolean
}

/** Number of files that a person may delete in ten minutes. If more are gone, they are removed only after no more leave. */
export const maxDeletionsAtOnce = 10

/**
 * Scans the given paths and everything below them, then checks the files waiting for removal after no more leave. Reports leaving and
 * removed files to `departures`.
 */
async function scanPaths(
  paths: readonly string[],
  { isQuiet, ...known }: ScanState,
  departures: Departures,
  reconcile: Reconcile,
): Promise<Pick<ScanResult, "rescanPaths" | "missing">> {
  async function scan(what: Pick<ScanOptions, "paths" | "left" | "maxRemoved">): Promise<ScanResult> {
    if (known.state !== "missed") departures.expire()
    const before = { removedLately: departures.count, former: departures.take }
    const seen = await reconcile({ ...known, ...what, ...before })
    departures.remember(seen.removed)
    departures.wait(seen.leaving)
    return seen
  }

  const { rescanPaths, missing } = await scan({
    paths,
    left: [],
    maxRemoved: isQuiet ? maxDeletionsAtOnce : 0,
  })
  if (missing > 0) return { rescanPaths, missing }
  const left = departures.takeSettled()
  if (left.length === 0) return { rescanPaths, missing }
  const losses = await scan({ paths: [], left, maxRemoved: Infinity })
  return { rescanPaths, missing: losses.missing }
}

/** Changed paths in a folder that haven't been scanned yet. */
interface NotedChanges {
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
const quietMs = writeSettleMs + 50
const maxWaitMs = 1_200

/** Initially, everything must be scanned. */
function createNotedChanges(): NotedChanges {
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

/** A step that is repeated. */
interface RepeatedStep {
  /** Ends a long pause: the current one or the one after the current step. */
  endLongPause(): void
  /** Ends every pause. Settles when no further step runs, after the signal was aborted. */
  ended(): Promise<void>
}

/**
 * Repeats a step until the signal is aborted.
 *
 * @param step returns the pause in ms before the next step; must not throw
 * @param shortMs `endLongPause` doesn't end pauses up to this length
 */
function repeatStep(step: () => Promise<number>, shortMs: number, signal: AbortSignal): RepeatedStep {
  let alarm = Promise.withResolvers<void>()
  let restingLong = true

  async function repeat(): Promise<void> {
    while (!signal.aborted) {
      alarm = Promise.withResolvers()
      restingLong = true
      await rest(await step())
    }
  }

  async function rest(ms: number): Promise<void> {
    if (signal.aborted) return
    restingLong = ms > shortMs
    const timer = setTimeout(alarm.resolve, ms).unref()
    await alarm.promise
    clearTimeout(timer)
  }

  const repeating = repeat()
  return {
    endLongPause() {
      if (restingLong) alarm.resolve()
    },
    ended() {
      alarm.resolve()
      return repeating
    },
  }
}

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
export const followFolder = (deps: FollowedFolderDeps): FollowedFolder => new FolderFollower(deps)

class FolderFollower implements FollowedFolder {
  readonly managed: boolean
  readonly #deps: FollowedFolderDeps
  readonly #departures = createDepartures()
  readonly #changes = createNotedChanges()
  readonly #stop = new AbortController()
  readonly #watch: FolderWatch
  readonly #steps: RepeatedStep
  #available = true
  #missing = 0
  #isFirst = true
  #accepted: number

  constructor(deps: FollowedFolderDeps) {
    const { folder, logger, accepted } = deps
    const { signal } = this.#stop
    this.managed = folder.managed
    this.#deps = deps
    this.#accepted = accepted
    this.#watch = createFolderWatch(folder, logger, (path) => this.#touch(path), signal)
    this.#steps = repeatStep(
      () => this.#step().catch((error: unknown) => this.#failed(error)),
      maxWaitMs,
      signal,
    )
  }

  get available(): boolean {
    return this.#available
  }

  get missing(): number {
    return this.#missing
  }

  rescan(): void {
    if (this.#available) this.#touch("")
  }

  async checkDirectory(): Promise<void> {
    if (!this.#available || this.managed) return
    const { folder, directories } = this.#deps
    const isInPlace = await directories.isInPlace(folder).catch(() => false)
    if (!isInPlace && !this.#stop.signal.aborted) this.#touch("")
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#steps.ended()
    this.#watch.close()
  }

  #touch(path: string): void {
    this.#changes.note(path)
    this.#steps.endLongPause()
  }

  /** Does pending work and returns the time in ms until the next step. */
  async #step(): Promise<number> {
    const { folder, directories } = this.#deps
    const [watch, changes] = [this.#watch, this.#changes]
    const known = await directories.of(folder.id)
    const now = await presentDirectory(folder.path, known)
    if (now === null) return this.#markUnavailable(0)
    if (watch.directory && !isSameDirectory(watch.directory, now)) watch.close()
    if (!folder.managed && this.#missing === 0 && !watch.directory) {
      changes.noteAll()
      await watch.open(now)
    }
    const isOther = known === null || !isSameDirectory(known, now)
    // Scans everything: a partial scan would treat files on a missing drive below the directory as deleted.
    if (isOther || !(await directories.isInPlace(folder))) changes.noteAll()
    const waitMs = changes.waitMs()
    if (waitMs > 0) return waitMs
    const isQuiet = changes.isQuiet()
    const paths = changes.any ? changes.take() : this.#departures.waiting ? [] : [""]
    if (paths.includes(ignoreFileName)) {
      watch.close() // previously ignored paths weren't watched
      return 0
    }
    const found = await this.#scan(paths, { device: now.device, isOther, isQuiet })
    if (found.missing > 0) return this.#markUnavailable(found.missing)
    for (const path of found.rescanPaths) this.#touch(path)
    if (this.#departures.waiting) return departureQuietMs + 50
    this.#accepted = 0
    this.#isFirst = false
    if (known?.inode !== now.inode || isOther) await directories.remember(folder, now)
    const wasMissing = this.#missing > 0
    this.#reportState(true, 0)
    if (wasMissing) return 0 // it isn't watched yet
    return changes.any ? quietMs : watch.everyMs
  }

  #scan(
    paths: readonly string[],
    { device, isOther, isQuiet }: Pick<ScanState, "device" | "isQuiet"> & { isOther: boolean },
  ): ReturnType<typeof scanPaths> {
    const { reconcile } = this.#deps
    const isDoubtful = this.managed || isOther || this.#isFirst
    const state = this.#missing > 0 ? "missed" : isDoubtful ? "doubtful" : "trusted"
    const before: ScanState = { device, accepted: this.#accepted, state, isQuiet }
    return scanPaths(paths, before, this.#departures, (options) => reconcile(options, this.#stop.signal))
  }

  #failed(error: unknown): number {
    const { folder, logger } = this.#deps
    if (!this.#stop.signal.aborted) logger.warn({ err: error, folderId: folder.id }, failureMessage)
    this.#changes.noteAll()
    return unavailableEveryMs
  }

  /** Keeps the known state of the folder until its directory is back with its content. */
  #markUnavailable(lost: number): number {
    this.#accepted = 0
    this.#departures.stopWaiting()
    this.#watch.close()
    this.#changes.noteAll()
    this.#reportState(false, lost)
    return unavailableEveryMs
  }

  #reportState(available: boolean, missing: number): void {
    if (available === this.#available && missing === this.#missing) return
    this.#available = available
    this.#missing = missing
    this.#deps.onAvailability()
  }
}

/** Returns null if the directory is missing. An empty directory on a different device is a mount point without its drive. */
async function presentDirectory(path: string, known: KnownDirectory | null): Promise<Directory | null> {
  const now = await directoryAt(path).catch(() => null)
  if (now === null || known === null || now.device === known.device) return now
  return (await readdir(path)).length === 0 ? null : now
}
