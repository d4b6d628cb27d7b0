import { watch, type FSWatcher } from "node:fs"
import { lstat, readdir } from "node:fs/promises"
import { join } from "node:path"
import type { DirectoryWatch, WatchOptions } from "./watch.ts"

interface Watched {
  watcher: FSWatcher
  inode: bigint
}

/**
 * Watches a directory and those below it, one by one; symbolic links aren't followed. `ready` settles once all have
 * their watch.
 */
export function watchTree(options: WatchOptions): DirectoryWatch & { ready: Promise<unknown> } {
  const { root, rules, onChange, onError, signal } = options
  const watched = new Map<string, Watched>()
  let closed = false

  /** Watches a directory that isn't watched yet, and what is below it. Answers whether there was anything to do. */
  async function add(start: string): Promise<boolean> {
    let added = false
    const waiting = [start]
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      const found = await lstat(join(root, path), { bigint: true }).catch(() => null)
      if (closed || signal.aborted) return added
      if (!found?.isDirectory()) continue
      const known = watched.get(path)
      if (known?.inode === found.ino) continue
      forget(path)
      if (!open(path, found.ino)) continue
      added = true
      // only now: what appears meanwhile is told by the watch
      const entries = await readdir(join(root, path), { withFileTypes: true }).catch(() => [])
      for (const entry of entries) {
        const below = at(path, entry.name)
        if (entry.isDirectory() && !rules.ignores(below, "directory")) waiting.push(below)
      }
    }
    return added
  }

  function open(path: string, inode: bigint): boolean {
    try {
      const watcher = watch(join(root, path), (event, name) => changed(path, event, name))
      watcher.on("error", (error) => {
        forget(path)
        fail(error)
      })
      watched.set(path, { watcher, inode })
      return true
    } catch (error) {
      fail(error)
      return false
    }
  }

  function changed(directory: string, event: string, name: string | null): void {
    const path = name === null ? directory : at(directory, name)
    onChange(path)
    if (event !== "rename" || name === null || rules.ignores(path, "directory")) return
    void follow(path)
  }

  /** Something took or left this place. */
  async function follow(path: string): Promise<void> {
    const found = await lstat(join(root, path)).catch(() => null)
    if (!found?.isDirectory()) forget(path)
    // what was in a directory before it was watched wasn't told
    if (found?.isDirectory() && (await add(path))) onChange(path)
    // the root's own end is told as if something in it had gone
    if (!found && (await add(""))) onChange("")
  }

  /** Ends the watches at and below a path: what was there is gone or lies elsewhere. */
  function forget(path: string): void {
    if (!watched.has(path)) return
    for (const [one, { watcher }] of watched) {
      if (one !== path && !one.startsWith(`${path}/`) && path !== "") continue
      watcher.close()
      watched.delete(one)
    }
  }

  function fail(error: unknown): void {
    const { code } = error as NodeJS.ErrnoException
    if (!closed && !["ENOENT", "ENOTDIR", "EACCES", "EPERM"].includes(code ?? "")) onError(error)
  }

  return {
    ready: add(""),
    close() {
      closed = true
      for (const { watcher } of watched.values()) watcher.close()
      watched.clear()
    },
  }
}

const at = (directory: string, name: string) => (directory === "" ? name : `${directory}/${name}`)
