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
}

/** Watches a directory and everything below it; settles when nothing goes unnoticed any more. */
export async function watchDirectory({
  root,
  rules,
  onChange,
  onError,
}: WatchOptions): Promise<DirectoryWatch> {
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
  const { promise, resolve } = Promise.withResolvers<void>()
  watcher.on("all", (_event, path) => onChange(toRelative(path)))
  watcher.on("error", (error) => {
    onError(error)
    resolve()
  })
  watcher.on("ready", resolve)
  await promise
  return { [Symbol.asyncDispose]: () => watcher.close() }
}
