import { createHash } from "node:crypto"
import { constants, createWriteStream } from "node:fs"
import { lstat, mkdir, open, readdir, rename, rm, utimes } from "node:fs/promises"
import { join } from "node:path"
import type { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { diskSpace, type DiskSpace } from "../disk/disk-space.ts"
import { linkOrCopy, partialPrefix } from "../files/durable-file.ts"
import { hashFile } from "../files/file-contents.ts"
import { newId } from "../ids.ts"
import { getHashFromKey, isKey } from "./object-rows.ts"
import { ObjectStoreUnavailable, type ObjectStore } from "./object-store.ts"

/** A local copy of an object's bytes, which stays until this is disposed of. */
export interface HeldCopy extends Disposable {
  path: string
}

/** Copies of objects in a directory, limited by the available space; the least recently used ones are removed first. */
export interface ObjectCache {
  /**
   * Fetches at most `maxBytes` from the store. Throws `not_found` if the store doesn't have the object any more, and `unavailable` if the
   * store does or the bytes aren't the stored ones. A copy that was modified locally is fetched again.
   */
  hold(key: string, maxBytes: number): Promise<HeldCopy>
  /** Uses a file as the copy of an object that was just created from it. */
  adopt(key: string, path: string): Promise<void>
  /** Removes the copy, because the object isn't needed any more. */
  drop(key: string): Promise<void>
}

export interface ObjectCacheOptions {
  directory: string
  store: Pick<ObjectStore, "get" | "address">
  /** Maximum size of all copies together, in bytes; exceeded only by copies in use. */
  maxBytes: number
  /** Space of the disk that contains the directory; tests replace it. */
  disk?: () => Promise<DiskSpace>
}

/** Share of the disk that copies leave free for data that can't be fetched again, such as uploads and the database. */
const reservedShare = 0.1
const maxReservedBytes = 4 * 2 ** 30
/** How often free space is checked, because other programs use the disk as well. */
const pollIntervalMs = 30_000

interface Copy {
  bytes: number
  /** Position in the order of use. */
  used: number
  holders: number
  /** Identity of the file when its bytes were last verified against the key; null if they weren't yet. */
  compared: string | null
}

/** Includes the copies of an earlier run. */
export async function openObjectCache(options: ObjectCacheOptions): Promise<ObjectCache & Disposable> {
  const cache = new CopyDirectory(options)
  await cache.open()
  return cache
}

class CopyDirectory implements ObjectCache, Disposable {
  readonly #directory: string
  readonly #store: ObjectCacheOptions["store"]
  readonly #maxBytes: number
  readonly #disk: () => Promise<DiskSpace>
  readonly #copies = new Map<string, Copy>()
  readonly #pendingFetches = new Map<string, Promise<void>>()
  #total = 0
  #uses = 0
  #making: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined

  constructor({ directory, store, maxBytes, disk = () => diskSpace(directory) }: ObjectCacheOptions) {
    this.#directory = directory
    this.#store = store
    this.#maxBytes = maxBytes
    this.#disk = disk
  }

  async open(): Promise<void> {
    await this.#makeDirectory()
    await this.#adoptExistingCopies()
    await this.#makeRoom()
    this.#timer = setInterval(() => void this.#makeRoom(), pollIntervalMs).unref()
  }

  async hold(key: string, maxBytes: number): Promise<HeldCopy> {
    if (!isKey(key)) throw new AppError("not_found", sentence("storage.object_gone")) // for example a path that leads out of the directory
    const copy = await this.#ensure(key, maxBytes)
    copy.used = ++this.#uses
    await this.#noteUse(key, copy).catch(() => undefined)
    await this.#makeRoom()
    let isReleasePending = true
    return {
      path: this.#getPath(key),
      [Symbol.dispose]: () => {
        if (isReleasePending) copy.holders--
        isReleasePending = false
        void this.#makeRoom()
      },
    }
  }

  async adopt(key: string, path: string): Promise<void> {
    await linkOrCopy(path, this.#getPath(key))
    this.#note(key, (await lstat(path)).size)
    await this.#makeRoom()
  }

  async drop(key: string): Promise<void> {
    const copy = this.#copies.get(key)
    if (!copy || copy.holders > 0) return
    this.#forget(key, copy)
    await rm(this.#getPath(key), { force: true }).catch(() => undefined) // Windows keeps open files; the next start removes them
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  #getPath(key: string): string {
    return join(this.#directory, key)
  }

  async #makeDirectory(): Promise<void> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 })
  }

  async #adoptExistingCopies(): Promise<void> {
    const found: { key: string; bytes: number; used: number }[] = []
    for (const key of await readdir(this.#directory)) {
      const path = this.#getPath(key)
      const stats = await lstat(path)
      if (key.startsWith(partialPrefix) || !stats.isFile()) await rm(path, { recursive: true, force: true })
      else found.push({ key, bytes: stats.size, used: stats.atimeMs })
    }
    for (const { key, bytes } of found.sort((a, b) => a.used - b.used)) this.#note(key, bytes)
  }

  #note(key: string, bytes: number): void {
    this.#copies.set(key, { bytes, used: ++this.#uses, holders: 0, compared: null })
    this.#total += bytes
  }

  #forget(key: string, copy: Copy): void {
    this.#copies.delete(key)
    this.#total -= copy.bytes
  }

  /** Runs one call at a time: otherwise each would free the same space. */
  #makeRoom(wanted = 0): Promise<void> {
    const made = this.#making.then(() => this.#dropUnused(wanted))
    this.#making = made.catch(() => undefined)
    return made
  }

  async #dropUnused(wanted: number): Promise<void> {
    let over = await this.#getExcess(wanted)
    if (over <= 0) return
    const unused = [...this.#copies].filter(([, { holders }]) => holders === 0)
    for (const [key, { bytes }] of unused.sort(([, a], [, b]) => a.used - b.used)) {
      if (over <= 0) return
      over -= bytes
      await this.drop(key)
    }
  }

  /** Returns the number of bytes by which copies would exceed their limit after writing `wanted` more. */
  async #getExcess(wanted: number): Promise<number> {
    const { free, total: all } = await this.#disk().catch(() => ({ free: Infinity, total: 0 })) // the directory was deleted
    const reserved = Math.min(all * reservedShare, maxReservedBytes)
    return Math.max(this.#total + wanted - this.#maxBytes, reserved + wanted - free)
  }

  /** Returns a held copy. Concurrent calls for the same object wait for one fetch. */
  async #ensure(key: string, maxBytes: number): Promise<Copy> {
    for (;;) {
      const copy = this.#copies.get(key)
      if (copy) {
        copy.holders++
        if (await this.#isAsStored(key, copy)) return copy
        copy.holders--
        if (this.#copies.get(key) === copy) this.#forget(key, copy)
      }
      const fetching =
        this.#pendingFetches.get(key) ??
        this.#fetch(key, maxBytes).finally(() => this.#pendingFetches.delete(key))
      this.#pendingFetches.set(key, fetching)
      await fetching
    }
  }

  async #fetch(key: string, maxBytes: number): Promise<void> {
    const source = await this.#store.get(key)
    if (source === null) throw new AppError("not_found", sentence("storage.object_gone"))
    await this.#makeDirectory() // it may have been deleted
    await this.#makeRoom(maxBytes)
    const partial = join(this.#directory, `${partialPrefix}${newId()}`)
    let written: WrittenBytes
    try {
      written = await writeAtMost(source, maxBytes, partial).catch((error: NodeJS.ErrnoException) => {
        if (error instanceof AppError) throw error
        throw error.syscall === undefined ? new ObjectStoreUnavailable(this.#store.address, error) : error
      })
      if (written.sha256 !== getHashFromKey(key)) throw damaged()
      await rm(this.#getPath(key), { recursive: true, force: true }) // removes anything that someone put there
      await rename(partial, this.#getPath(key))
    } finally {
      await rm(partial, { force: true })
    }
    this.#note(key, written.bytes)
  }

  /** Bytes that were verified before aren't verified again, unless the file was changed. */
  async #isAsStored(key: string, copy: Copy): Promise<boolean> {
    const path = this.#getPath(key)
    const found = await getIdentity(path)
    if (found === null) return false
    if (found === copy.compared) return true
    if (!(await hasContentOfKey(path, key))) return false
    copy.compared = found
    return true
  }

  /** The next run uses the access time. */
  async #noteUse(key: string, copy: Copy): Promise<void> {
    const path = this.#getPath(key)
    if ((await getIdentity(path)) !== copy.compared) return
    await utimes(path, new Date(), (await lstat(path)).mtime)
    copy.compared = await getIdentity(path)
  }
}

interface WrittenBytes {
  bytes: number
  /** In hexadecimal. */
  sha256: string
}

/** Writes a stream to a new file. Throws `unavailable` if it has more than `maxBytes`. */
async function writeAtMost(source: Readable, maxBytes: number, path: string): Promise<WrittenBytes> {
  const hash = createHash("sha256")
  let bytes = 0
  await pipeline(
    source,
    async function* (pieces: AsyncIterable<Buffer>) {
      for await (const piece of pieces) {
        hash.update(piece)
        bytes += piece.byteLength
        if (bytes > maxBytes) throw damaged()
        yield piece
      }
    },
    createWriteStream(path, { flags: "wx", mode: 0o600 }),
  )
  return { bytes, sha256: hash.digest("hex") }
}

const damaged = () => new AppError("unavailable", sentence("storage.object_damaged"))

/** Returns a value that changes when the file is modified or replaced; null if there is no file. */
const getIdentity = (path: string): Promise<string | null> =>
  lstat(path, { bigint: true }).then(
    (found) => (found.isFile() ? [found.ino, found.size, found.mtimeNs, found.ctimeNs].join(":") : null),
    () => null,
  )

/** Whether a local file has the bytes that a key identifies. */
export async function hasContentOfKey(path: string, key: string): Promise<boolean> {
  await using file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)).catch(() => null)
  return file !== null && Buffer.from(await hashFile(file), "base64").toString("hex") === getHashFromKey(key)
}
