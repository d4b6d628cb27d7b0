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
  const copies = new CopiedTables(options)
  await copies.adoptExisting()
  return copies
}

class CopiedTables implements TableCopies, AsyncDisposable {
  readonly #options: TableCopiesOptions
  readonly #root: string
  readonly #closing = new AbortController()
  /** Maximum disk space used by each copy, in bytes. */
  readonly #taken = new Map<string, number>()
  #last: Promise<unknown> = Promise.resolve()
  #hasWarned = false

  constructor(options: TableCopiesOptions) {
    this.#options = options
    this.#root = join(options.directory, options.generation)
  }

  async adoptExisting(): Promise<void> {
    await this.#adoptExisting().catch((error: unknown) => this.#logFailure(error))
  }

  open<Opened>(
    table: string,
    version: number,
    open: (uri: string) => Promise<Opened>,
  ): Promise<Opened | null> {
    return this.#runExclusive(async () => {
      const { store } = this.#options
      if (store.maxCopiedBytes === 0 || !this.#canChange()) return null
      let isWhole = false
      try {
        isWhole = await this.#makeCopy(table, version)
        const opened = isWhole ? await open(this.#root) : null
        if (isWhole) this.#hasWarned = false
        return opened
      } catch (error) {
        if (this.#closing.signal.aborted) return null
        this.#logFailure(error)
        if (isWhole || isOfDisk(error))
          await this.#remove(table).catch((failure: unknown) => this.#logFailure(failure))
        return null
      }
    })
  }

  async drop(table: string, reason?: unknown): Promise<void> {
    if (reason !== undefined) this.#logFailure(reason)
    await this.#runExclusive(async () => {
      if (this.#canChange()) await this.#remove(table)
    }).catch((error: unknown) => this.#logFailure(error))
  }

  /** Running copies stop where they are; completed files stay. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort()
    await this.#last
  }

  #canChange(): boolean {
    return !this.#closing.signal.aborted && this.#options.isInPlace()
  }

  /** Runs changes of the directory one after another. */
  #runExclusive<T>(change: () => Promise<T>): Promise<T> {
    const done = this.#last.then(change)
    this.#last = done.catch(() => undefined)
    return done
  }

  #logFailure(error: unknown): void {
    if (!this.#hasWarned)
      this.#options.logger.warn(
        { err: error },
        "Searches read from the object store: there is no local copy of the index",
      )
    this.#hasWarned = true
  }

  #getPath(table: string): string {
    return join(this.#root, `${table}${tableEnding}`)
  }

  #getKey(table: string, file: string): string {
    return `${this.#options.generation}/${table}${tableEnding}/${file}`
  }

  async #adoptExisting(): Promise<void> {
    const { directory, generation, store } = this.#options
    for (const name of await namesIn(directory))
      if (name !== generation) await removeAll(join(directory, name))
    for (const name of await namesIn(this.#root)) {
      const path = join(this.#root, name)
      if (!name.endsWith(tableEnding)) await removeAll(path)
      else this.#taken.set(name.slice(0, -tableEnding.length), getBytes(await filesIn(path)))
    }
    if (sum(this.#taken.values()) <= store.maxCopiedBytes) return
    await removeAll(this.#root)
    this.#taken.clear()
  }

  async #remove(table: string): Promise<void> {
    await removeAll(this.#getPath(table))
    this.#taken.delete(table)
  }

  async #makeCopy(table: string, version: number): Promise<boolean> {
    const listed = this.#listOnStore(table, getManifest(version))
    const wanted = await unlessAborted(listed, this.#closing.signal)
    if (wanted === null) return false
    const held = await this.#keepWanted(table, wanted)
    const missing = [...wanted].filter(([file]) => !held.has(file))
    this.#taken.set(table, getBytes(wanted))
    const shortage = await this.#findShortage(missing)
    if (shortage === null) return this.#copyFiles(table, missing)
    await this.#remove(table)
    this.#logFailure(new Error(shortage))
    return false
  }

  /**
   * Lists all files of a table on the store, because their names don't show which version needs them. Returns null if the version doesn't
   * exist.
   */
  async #listOnStore(table: string, manifest: string): Promise<Map<string, number> | null> {
    const prefix = this.#getKey(table, "")
    const files = new Map<string, number>()
    for await (const some of this.#options.store.list(prefix))
      for (const { key, size } of some) {
        const file = key.slice(prefix.length)
        if (file === manifest || isRead.test(file)) files.set(file, size)
      }
    return files.has(manifest) ? files : null
  }

  /** Deletes the copied files that aren't wanted any more, and returns the others. */
  async #keepWanted(table: string, wanted: ReadonlyMap<string, number>): Promise<Map<string, number>> {
    const held = await filesIn(this.#getPath(table))
    for (const [file, size] of held) {
      // A recreated table has different manifests under the same names.
      if (wanted.get(file) === size && !file.startsWith(versions)) continue
      const path = join(this.#getPath(table), file)
      await rm(path)
      await rmdir(dirname(path)).catch(() => undefined) // the directory contains other files
      held.delete(file)
    }
    return held
  }

  /** Returns why there is too little space for the copies; null if there is enough. */
  async #findShortage(missing: [string, number][]): Promise<string | null> {
    await mkdir(this.#root, { recursive: true, mode: 0o700 })
    if (getBytes(missing) > (await freeBytes(this.#root)) * shareOfFree)
      return "The disk has too little room."
    const isTooLarge = sum(this.#taken.values()) > this.#options.store.maxCopiedBytes
    return isTooLarge ? "It is larger than copies may be." : null
  }

  /** Returns false if the store no longer has one of the files. */
  async #copyFiles(table: string, missing: [string, number][]): Promise<boolean> {
    for (let from = 0; from < missing.length; from += copiedAtOnce) {
      const some = missing.slice(from, from + copiedAtOnce)
      const copied = await Promise.allSettled(some.map(([file, size]) => this.#copyFile(table, file, size)))
      for (const each of copied) if (each.status === "rejected") throw each.reason
      if (copied.some((each) => each.status === "fulfilled" && !each.value)) return false
    }
    return true
  }

  /** A file under its final name is complete, even after a power cut. Returns false if the store no longer has the file. */
  async #copyFile(table: string, file: string, size: number): Promise<boolean> {
    const target = join(this.#getPath(table), file)
    const partial = join(this.#root, `${partialPrefix}${newId()}`)
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(copyTimeoutMs)])
    const source = await this.#options.store.get(this.#getKey(table, file), signal)
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
