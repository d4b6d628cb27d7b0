import { createHash } from "node:crypto"
import { constants, createWriteStream } from "node:fs"
import { lstat, mkdir, open, readdir, rename, rm, utimes } from "node:fs/promises"
import { join } from "node:path"
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
export async function openObjectCache({
  directory,
  store,
  maxBytes,
  disk = () => diskSpace(directory),
}: ObjectCacheOptions): Promise<ObjectCache & Disposable> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const copies = new Map<string, Copy>()
  const pendingFetches = new Map<string, Promise<void>>()
  let total = 0
  let uses = 0
  let making: Promise<void> = Promise.resolve()
  const getPath = (key: string) => join(directory, key)

  async function adoptExistingCopies(): Promise<void> {
    const found: { key: string; bytes: number; used: number }[] = []
    for (const key of await readdir(directory)) {
      const stats = await lstat(getPath(key))
      if (key.startsWith(partialPrefix) || !stats.isFile())
        await rm(getPath(key), { recursive: true, force: true })
      else found.push({ key, bytes: stats.size, used: stats.atimeMs })
    }
    for (const { key, bytes } of found.sort((a, b) => a.used - b.used)) note(key, bytes)
  }

  function note(key: string, bytes: number): void {
    copies.set(key, { bytes, used: ++uses, holders: 0, compared: null })
    total += bytes
  }

  function forget(key: string, copy: Copy): void {
    copies.delete(key)
    total -= copy.bytes
  }

  async function drop(key: string): Promise<void> {
    const copy = copies.get(key)
    if (!copy || copy.holders > 0) return
    forget(key, copy)
    await rm(getPath(key), { force: true }).catch(() => undefined) // Windows keeps open files; the next start removes them
  }

  /** Returns the number of bytes by which copies would exceed their limit after writing `wanted` more. */
  async function excess(wanted: number): Promise<number> {
    const { free, total: all } = await disk().catch(() => ({ free: Infinity, total: 0 })) // the directory was deleted
    const reserved = Math.min(all * reservedShare, maxReservedBytes)
    return Math.max(total + wanted - maxBytes, reserved + wanted - free)
  }

  /** Runs one call at a time: otherwise each would free the same space. */
  function makeRoom(wanted = 0): Promise<void> {
    const made = making.then(async () => {
      let over = await excess(wanted)
      if (over <= 0) return
      const unused = [...copies].filter(([, { holders }]) => holders === 0)
      for (const [key, { bytes }] of unused.sort(([, a], [, b]) => a.used - b.used)) {
        if (over <= 0) return
        over -= bytes
        await drop(key)
      }
    })
    making = made.catch(() => undefined)
    return made
  }

  async function fetchObject(key: string, most: number): Promise<void> {
    const source = await store.get(key)
    if (source === null) throw new AppError("not_found", sentence("storage.object_gone"))
    await mkdir(directory, { recursive: true, mode: 0o700 }) // it may have been deleted
    await makeRoom(most)
    const partial = join(directory, `${partialPrefix}${newId()}`)
    const hash = createHash("sha256")
    let bytes = 0
    try {
      await pipeline(
        source,
        async function* (pieces: AsyncIterable<Buffer>) {
          for await (const piece of pieces) {
            hash.update(piece)
            bytes += piece.byteLength
            if (bytes > most) throw damaged()
            yield piece
          }
        },
        createWriteStream(partial, { flags: "wx", mode: 0o600 }),
      ).catch((error: NodeJS.ErrnoException) => {
        if (error instanceof AppError) throw error
        throw error.syscall === undefined ? new ObjectStoreUnavailable(store.address, error) : error
      })
      if (hash.digest("hex") !== getHashFromKey(key)) throw damaged()
      await rm(getPath(key), { recursive: true, force: true }) // removes anything that someone put there
      await rename(partial, getPath(key))
    } finally {
      await rm(partial, { force: true })
    }
    note(key, bytes)
  }

  /** Bytes that were verified before aren't verified again, unless the file was changed. */
  async function isAsStored(key: string, copy: Copy): Promise<boolean> {
    const found = await getIdentity(getPath(key))
    if (found === null) return false
    if (found === copy.compared) return true
    if (!(await hasContentOfKey(getPath(key), key))) return false
    copy.compared = found
    return true
  }

  /** The next run uses the access time. */
  async function noteUse(key: string, copy: Copy): Promise<void> {
    const path = getPath(key)
    if ((await getIdentity(path)) !== copy.compared) return
    await utimes(path, new Date(), (await lstat(path)).mtime)
    copy.compared = await getIdentity(path)
  }

  /** Returns a held copy. Concurrent calls for the same object wait for one fetch. */
  async function ensure(key: string, most: number): Promise<Copy> {
    for (;;) {
      const copy = copies.get(key)
      if (copy) {
        copy.holders++
        if (await isAsStored(key, copy)) return copy
        copy.holders--
        if (copies.get(key) === copy) forget(key, copy)
      }
      const fetching =
        pendingFetches.get(key) ?? fetchObject(key, most).finally(() => pendingFetches.delete(key))
      pendingFetches.set(key, fetching)
      await fetching
    }
  }

  await adoptExistingCopies()
  await makeRoom()
  const timer = setInterval(() => void makeRoom(), pollIntervalMs).unref()

  return {
    async hold(key, most) {
      if (!isKey(key)) throw new AppError("not_found", sentence("storage.object_gone")) // for example a path that leads out of the directory
      const copy = await ensure(key, most)
      copy.used = ++uses
      const path = getPath(key)
      await noteUse(key, copy).catch(() => undefined)
      await makeRoom()
      let isReleasePending = true
      return {
        path,
        [Symbol.dispose]() {
          if (isReleasePending) copy.holders--
          isReleasePending = false
          void makeRoom()
        },
      }
    },

    async adopt(key, path) {
      await linkOrCopy(path, getPath(key))
      note(key, (await lstat(path)).size)
      await makeRoom()
    },

    drop,
    [Symbol.dispose]: () => clearInterval(timer),
  }
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
