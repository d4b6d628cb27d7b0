import { relative, sep } from "node:path"
import type { IgnoreRules } from "./ignore-rules.ts"

export interface DirectoryWatch extends AsyncDisposable {}

export interface WatchOptions {
  root: string
  rules: IgnoreRules
  /** Something appeared, changed or vanished at this relative path; empty for the directory itself. */
  onChange(path: string): void
  /** Changes may go unnoticed from now on. */
  onError(error: unknown): void
  /** Ends the wait for the watch to be complete. */
  signal: AbortSignal
}

/** A directory that takes longer, such as one on a slow network, counts as one that can't be watched. */
const longestStartMs = 60_000

/** Watches a directory and everything below it; settles when nothing goes unnoticed any more. */
export async function watchDirectory(options: WatchOptions): Promise<DirectoryWatch> {
  const { root, rules, onChange, onError, signal } = options
  const { watch } = await import("chokidar")
  const toRelative = (path: string) => relative(root, path).split(sep).join("/")
  const watcher = watch(root, {
    ignoreInitial: true,
    followSymlinks: false,
    ignorePermissionErrors: true,
    atomic: false,
    ignored: (path, stats) => {
      const name = toRelative(path)
      if (name === "" || name.startsWith("..") || !stats) return false
      // The rules themselves are hidden but watched: they may change.
      if (name === ".casellaignore") return false
      return rules.ignores(name, stats.isDirectory() ? "directory" : "file")
    },
  })
  const watching = Promise.withResolvers<void>()
  const fail = (error: unknown) => {
    onError(error)
    watching.resolve()
  }
  watcher.on("all", (_event, path) => onChange(toRelative(path)))
  watcher.on("error", fail)
  watcher.on("ready", watching.resolve)
  signal.addEventListener("abort", () => watching.resolve(), { once: true })
  const late = setTimeout(() => fail(new Error("Watching took too long to begin.")), longestStartMs)
  await watching.promise
  clearTimeout(late)
  return { [Symbol.asyncDispose]: () => watcher.close() }
}
