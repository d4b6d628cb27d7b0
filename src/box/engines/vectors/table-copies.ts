import { createWriteStream } from "node:fs"
import { lstat, mkdir, readdir, rename, rm, rmdir } from "node:fs/promises"
import { dirname, join, relative, sep } from "node:path"
import { pipeline } from "node:stream/promises"
import { freeBytes } from "../../core/disk/disk-space.ts"
import { partialPrefix } from "../../core/files/durable-file.ts"
import { newId } from "../../core/ids.ts"
import { unlessAborted } from "../../core/waiting/abort-and-timeout.ts"
import type { TableCopies, TableStore } from "./tables-location.ts"
import type { IndexLogger } from "./passage-record.ts"

export interface TableCopiesOptions {
  /** Directory for the copies only. */
  directory: string
  /** Generation of the copied tables. */
  generation: string
  store: Pick<TableStore, "get" | "list" | "maxCopiedBytes">
  /** Whether the directory still belongs to this box. */
  isInPlace(): boolean
  logger: Pick<IndexLogger, "warn">
}

const tableEnding = ".lance"
const versions = "_versions"
/** Files that searches read in addition to the version's manifest. Their names are random, so the same name means the same bytes. */
const isRead = /^(?:data|_deletions|_indices\/[\w-]+)\/\w[\w.-]*$/
const copiedAtOnce = 4
const copyTimeoutMs = 10 * 60_000
/** Maximum share of the free disk space for a copy. The rest is left for data that can't be downloaded again. */
const shareOfFree = 0.5
/** File sizes on disk are multiples of this. */
const blockBytes = 4_096

/** Keeps the copies of an earlier run, or deletes them all if they exceed the limit. */
export async function openTableCopies(options: TableCopiesOptions): Promise<TableCopies & AsyncDisposable> {
  const { directory, generation, store, isInPlace, logger } = options
  const root = join(directory, generation)
  const closing = new AbortController()
  /** Maximum disk space used by each copy, in bytes. */
  const taken = new Map<string, number>()
  let last: Promise<unknown> = Promise.resolve()
  let hasWarned = false

  const getPath = (table: string) => join(root, `${table}${tableEnding}`)

  /** Runs changes of the directory one after another. */
  function runExclusive<T>(change: () => Promise<T>): Promise<T> {
    const done = last.then(change)
    last = done.catch(() => undefined)
    return done
  }

  function logFailure(error: unknown): void {
    if (!hasWarned)
      logger.warn({ err: error }, "Searches read from the object store: there is no local copy of the index")
    hasWarned = true
  }

  async function adoptExistingCopies(): Promise<void> {
    for (const name of await namesIn(directory))
      if (name !== generation) await removeAll(join(directory, name))
    for (const name of await namesIn(root)) {
      if (!name.endsWith(tableEnding)) await removeAll(join(root, name))
      else taken.set(name.slice(0, -tableEnding.length), getBytes(await filesIn(join(root, name))))
    }
    if (sum(taken.values()) <= store.maxCopiedBytes) return
    await removeAll(root)
    taken.clear()
  }

  async function remove(table: string): Promise<void> {
    await removeAll(getPath(table))
    taken.delete(table)
  }

  /**
   * Lists all files of a table on the store, because their names don't show which version needs them. Returns null if the version doesn't
   * exist.
   */
  async function filesOnStore(table: string, manifest: string): Promise<Map<string, number> | null> {
    const prefix = getKey(table, "")
    const files = new Map<string, number>()
    for await (const some of store.list(prefix))
      for (const { key, size } of some) {
        const file = key.slice(prefix.length)
        if (file === manifest || isRead.test(file)) files.set(file, size)
      }
    return files.has(manifest) ? files : null
  }

  const getKey = (table: string, file: string) => `${generation}/${table}${tableEnding}/${file}`

  async function makeCopy(table: string, version: number): Promise<boolean> {
    const wanted = await unlessAborted(filesOnStore(table, getManifest(version)), closing.signal)
    if (wanted === null) return false
    const held = await filesIn(getPath(table))
    for (const [file, size] of held) {
      // A recreated table has different manifests under the same names.
      if (wanted.get(file) === size && !file.startsWith(versions)) continue
      await rm(join(getPath(table), file))
      await rmdir(dirname(join(getPath(table), file))).catch(() => undefined) // the directory contains other files
      held.delete(file)
    }
    const missing = [...wanted].filter(([file]) => !held.has(file))
    taken.set(table, getBytes(wanted))
    await mkdir(root, { recursive: true, mode: 0o700 })
    const isFree = getBytes(missing) <= (await freeBytes(root)) * shareOfFree
    if (sum(taken.values()) > store.maxCopiedBytes || !isFree) {
      await remove(table)
      logFailure(new Error(isFree ? "It is larger than copies may be." : "The disk has too little room."))
      return false
    }
    for (let from = 0; from < missing.length; from += copiedAtOnce) {
      const some = missing.slice(from, from + copiedAtOnce)
      const copied = await Promise.allSettled(some.map(([file, size]) => copyFile(table, file, size)))
      for (const each of copied) if (each.status === "rejected") throw each.reason
      if (copied.some((each) => each.status === "fulfilled" && !each.value)) return false
    }
    return true
  }

  /** A file under its final name is complete, even after a power cut. Returns false if the store no longer has the file. */
  async function copyFile(table: string, file: string, size: number): Promise<boolean> {
    const target = join(getPath(table), file)
    const partial = join(root, `${partialPrefix}${newId()}`)
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(copyTimeoutMs)])
    const source = await store.get(getKey(table, file), signal)
    if (source === null) return false
    let bytes = 0
    try {
      await pipeline(
        source,
        async function* (pieces: AsyncIterable<Buffer>) {
          for await (const piece of pieces) {
            bytes += piece.byteLength
            if (bytes > size) break
            yield piece
          }
        },
        createWriteStream(partial, { flags: "wx", mode: 0o600, flush: true }),
        { signal },
      )
      if (bytes !== size) throw new Error("The object store has other bytes than it says.")
      await rename(partial, target)
    } finally {
      await rm(partial, { force: true })
    }
    return true
  }

  await adoptExistingCopies().catch(logFailure)

  return {
    open: (table, version, open) =>
      runExclusive(async () => {
        if (store.maxCopiedBytes === 0 || closing.signal.aborted || !isInPlace()) return null
        let isWhole = false
        try {
          isWhole = await makeCopy(table, version)
          const opened = isWhole ? await open(root) : null
          if (isWhole) hasWarned = false
          return opened
        } catch (error) {
          if (closing.signal.aborted) return null
          logFailure(error)
          if (isWhole || isOfDisk(error)) await remove(table).catch(logFailure)
          return null
        }
      }),

    async drop(table, reason) {
      if (reason !== undefined) logFailure(reason)
      await runExclusive(async () => {
        if (isInPlace() && !closing.signal.aborted) await remove(table)
      }).catch(logFailure)
    },

    /** Running copies stop where they are; completed files stay. */
    async [Symbol.asyncDispose]() {
      closing.abort()
      await last
    },
  }
}

/** Returns LanceDB's name for the manifest, with which the latest version comes first in a list. */
const getManifest = (version: number) =>
  `${versions}/${String(2n ** 64n - 1n - BigInt(version)).padStart(20, "0")}.manifest`

const isOfDisk = (error: unknown) => (error as NodeJS.ErrnoException).syscall !== undefined

async function namesIn(directory: string): Promise<string[]> {
  return readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return []
    throw error
  })
}

/** Returns sizes in bytes by relative path, with slashes. */
async function filesIn(directory: string): Promise<Map<string, number>> {
  if ((await namesIn(directory)).length === 0) return new Map()
  const files = new Map<string, number>()
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) continue
    const path = join(entry.parentPath, entry.name)
    files.set(relative(directory, path).split(sep).join("/"), (await lstat(path)).size)
  }
  return files
}

const getBytes = (files: Iterable<[string, number]>) =>
  sum([...files].map(([, size]) => Math.ceil(size / blockBytes) * blockBytes))
const sum = (numbers: Iterable<number>) => [...numbers].reduce((all, each) => all + each, 0)
const removeAll = (path: string) => rm(path, { recursive: true, force: true, maxRetries: 3 })
