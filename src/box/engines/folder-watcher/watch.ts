import { watch } from "node:fs"
import { sep } from "node:path"
import { ignoreFileName, type IgnoreRules } from "./ignore-rules.ts"
import { watchTree } from "./watch-tree.ts"

export interface DirectoryWatch {
  close(): void
}

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

/**
 * Watches a directory and everything below it; settles when nothing goes unnoticed any more. macOS and Windows watch
 * whole trees; elsewhere each directory has a watch of its own. Files never have one: there may be too many.
 */
export async function watchDirectory(options: WatchOptions): Promise<DirectoryWatch> {
  const { root, rules, onError, signal } = options
  const onChange = (path: string) => {
    // the rules themselves are hidden but watched: they may change
    if (path === ignoreFileName || path === "" || !rules.ignores(path, "file")) options.onChange(path)
  }
  if (process.platform === "darwin" || process.platform === "win32") {
    const watcher = watch(root, { recursive: true }, (_event, name) => {
      onChange(name === null ? "" : name.split(sep).join("/"))
    })
    return watcher.on("error", onError)
  }
  const tree = watchTree({ root, rules, onChange, onError, signal })
  const waited = Promise.withResolvers<void>()
  const late = setTimeout(() => {
    onError(new Error("Watching took too long to begin."))
    waited.resolve()
  }, longestStartMs)
  signal.addEventListener("abort", () => waited.resolve(), { once: true })
  await Promise.race([tree.ready, waited.promise])
  clearTimeout(late)
  return tree
}
