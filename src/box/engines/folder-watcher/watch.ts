import { lstat } from "node:fs/promises"
import { basename, join, relative, sep } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import type { FSWatcher } from "chokidar"
import { ignoreFileName, type IgnoreRules } from "./scan.ts"

type ScanOptions = NonNullable<Parameters<FSWatcher["createScanStream"]>[1]>

/**
 * Watches only directories. chokidar calls stat on all files in them at once and then ignores the result: for 30,000 files this blocked
 * everything else for 0.2 s. The directory entries of a listing are enough.
 */
export function watcherOfDirectories(Base: typeof FSWatcher) {
  return class extends Base {
    override createScanStream(root: string, options: ScanOptions = {}) {
      const { directoryFilter: filter } = options
      return super.createScanStream(root, {
        ...options,
        type: "directories",
        alwaysStat: false,
        fileFilter: () => false,
        directoryFilter: (entry) =>
          typeof filter === "function" && filter(Object.assign(entry, { stats: entry.dirent })),
      })
    }
  }
}

export interface DirectoryWatch {
  close(): void
}

export interface WatchOptions {
  root: string
  rules: IgnoreRules
  /** Something was added, changed or removed at this relative path; empty for the directory itself. */
  onChange(path: string): void
  /** Changes may be missed from now on. */
  onError(error: unknown): void
  /** Ends the wait for the watch to be complete. */
  signal: AbortSignal
}

/** A directory that takes longer, for example on a slow network, is treated as unwatchable. */
const startTimeoutMs = 60_000
/** Interval at which a missing root is looked for. */
const missingMs = 200

/**
 * Watches a directory and everything below it; settles when no change is missed any more. Only directories are watched, and they report the
 * names of changed files: watching 50,000 files individually takes six times as long.
 */
export async function watchDirectory(options: WatchOptions): Promise<DirectoryWatch> {
  const { root, rules, onError, signal } = options
  const Watcher = watcherOfDirectories((await import("chokidar")).FSWatcher)
  const toRelative = (path: string) => relative(root, path).split(sep).join("/")
  const changed = (path: string) => {
    const name = toRelative(path)
    if (name.startsWith("..")) return
    // the rules file is hidden but watched, because it may change
    if (name === ignoreFileName || name === "" || !rules.ignores(name, "file")) options.onChange(name)
  }
  let watcher: FSWatcher
  let inode: bigint | undefined
  const closing = new AbortController()

  async function begin(): Promise<void> {
    inode = await getInode(root)
    const watching = Promise.withResolvers<void>()
    const fail = (error: unknown) => {
      onError(error)
      watching.resolve()
    }
    watcher = new Watcher({
      ignoreInitial: true,
      followSymlinks: false,
      ignorePermissionErrors: true,
      atomic: false,
      ignored: (path, stats) => {
        const name = toRelative(path)
        if (name === "" || name.startsWith("..") || !stats) return false
        if (!stats.isDirectory() || rules.ignores(name, "directory")) return true
        return rules.isExcludedDirectory(path)
      },
    })
    watcher.on("raw", (event, name, details) => {
      const { watchedPath } = details as { watchedPath: string }
      // the removal of a watched directory is reported as if an item with the directory's own name had been removed from it
      if (event === "rename" && watchedPath === root && name === basename(root)) void follow()
      changed(name === null ? watchedPath : join(watchedPath, name))
    })
    // items in a directory before it was watched weren't reported
    watcher.on("addDir", changed)
    watcher.on("error", fail)
    watcher.on("ready", watching.resolve)
    watcher.add(root)
    const ended = AbortSignal.any([signal, closing.signal])
    ended.addEventListener("abort", () => watching.resolve(), { once: true })
    const late = setTimeout(() => fail(new Error("Watching took too long to start.")), startTimeoutMs)
    await watching.promise
    clearTimeout(late)
  }

  /** Another directory may replace the root; the caller decides when to give up on a missing root. */
  async function follow(): Promise<void> {
    if ((await getInode(root)) === inode) return
    await watcher.close()
    options.onChange("")
    while (!closing.signal.aborted && (await getInode(root)) === undefined)
      await wait(missingMs, undefined, { ref: false })
    if (closing.signal.aborted) return
    await begin()
    if (closing.signal.aborted) await watcher.close()
    options.onChange("")
  }

  await begin()
  return {
    close() {
      closing.abort()
      void watcher.close()
    },
  }
}

const getInode = (path: string) =>
  lstat(path, { bigint: true }).then(
    ({ ino }) => ino,
    () => undefined,
  )
