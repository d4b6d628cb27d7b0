import { createHash } from "node:crypto"
import { constants, createWriteStream } from "node:fs"
import { lstat, mkdir, open, readdir, rename, rm, utimes } from "node:fs/promises"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { diskSpace, type DiskSpace } from "../disk/free-bytes.ts"
import { linkOrCopy, partialPrefix } from "../files/durable-file.ts"
import { hashFile } from "../files/hash-file.ts"
import { newId } from "../ids.ts"
import { hashOfKey, isKey } from "./object-rows.ts"
import { ObjectsAway, type ObjectStore } from "./object-store.ts"

/** A copy of an object's bytes here, which stays until this is disposed of. */
export interface HeldCopy extends Disposable {
  path: string
}

/** Copies of objects in a directory, as many as there is room for; those that nobody used for longest go first. */
export interface ObjectCache {
  /**
   * At most so many bytes are taken from the store. Throws `not_found` where the store hasn't the object any more, `unavailable` as it does and
   * where the bytes aren't those stored. A copy that was changed here is brought again.
   */
  hold(key: string, maxBytes: number): Promise<HeldCopy>
  /** Takes a file as the copy of an object that was just made of it. */
  adopt(key: string, path: string): Promise<void>
  /** Nobody wants the object any more. */
  drop(key: string): Promise<void>
}

export interface ObjectCacheOptions {
  directory: string
  store: Pick<ObjectStore, "get" | "address">
  /** What all copies together may take, in bytes; more only while it is in use. */
  maxBytes: number
  /** Space of the disk that the directory is on; tests replace it. */
  disk?: () => Promise<DiskSpace>
}

/** Share of the disk that copies leave free for data that can't be fetched again, such as uploads and the database. */
const reservedShare = 0.1
const maxReservedBytes = 4 * 2 ** 30
/** How often free space is checked, because other programs fill the disk as well. */
const lookMs = 30_000

interface Copy {
  bytes: number
  /** Order of use. */
  used: number
  holders: number
  /** What told the file from others when its bytes were compared with what the key says; null before. */
  compared: string | null
}

/** Takes over what an earlier run left. */
export async function openObjectCache({
  directory,
  store,
  maxBytes,
  disk = () => diskSpace(directory),
}: ObjectCacheOptions): Promise<ObjectCache & Disposable> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const copies = new Map<string, Copy>()
  const coming = new Map<string, Promise<void>>()
  let total = 0
  let uses = 0
  let making: Promise<void> = Promise.resolve()
  const pathOf = (key: string) => join(directory, key)

  async function takeOver(): Promise<void> {
    const found: { key: string; bytes: number; used: number }[] = []
    for (const key of await readdir(directory)) {
      const stats = await lstat(pathOf(key))
      if (key.startsWith(partialPrefix) || !stats.isFile())
        await rm(pathOf(key), { recursive: true, force: true })
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
    await rm(pathOf(key), { force: true }).catch(() => undefined) // Windows keeps what is open; the next start tidies up
  }

  /** Bytes by which copies would exceed their limit after writing `wanted` more. */
  async function excess(wanted: number): Promise<number> {
    const { free, total: all } = await disk().catch(() => ({ free: Infinity, total: 0 })) // the directory was deleted
    const reserved = Math.min(all * reservedShare, maxReservedBytes)
    return Math.max(total + wanted - maxBytes, reserved + wanted - free)
  }

  /** One at a time: otherwise each call would free the same space. */
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

  async function bring(key: string, most: number): Promise<void> {
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
        throw error.syscall === undefined ? new ObjectsAway(store.address, error) : error
      })
      if (hash.digest("hex") !== hashOfKey(key)) throw damaged()
      await rm(pathOf(key), { recursive: true, force: true }) // whatever somebody put there
      await rename(partial, pathOf(key))
    } finally {
      await rm(partial, { force: true })
    }
    note(key, bytes)
  }

  /** Bytes that were compared before aren't again, unless the file was touched. */
  async function isAsStored(key: string, copy: Copy): Promise<boolean> {
    const found = await identityOf(pathOf(key))
    if (found === null) return false
    if (found === copy.compared) return true
    if (!(await isMadeOf(pathOf(key), key))) return false
    copy.compared = found
    return true
  }

  /** The next run goes by it. */
  async function noteUse(key: string, copy: Copy): Promise<void> {
    const path = pathOf(key)
    if ((await identityOf(path)) !== copy.compared) return
    await utimes(path, new Date(), (await lstat(path)).mtime)
    copy.compared = await identityOf(path)
  }

  /** Held already. Whoever wants the same one meanwhile waits for it. */
  async function ensure(key: string, most: number): Promise<Copy> {
    for (;;) {
      const copy = copies.get(key)
      if (copy) {
        copy.holders++
        if (await isAsStored(key, copy)) return copy
        copy.holders--
        if (copies.get(key) === copy) forget(key, copy)
      }
      const begun = coming.get(key) ?? bring(key, most).finally(() => coming.delete(key))
      coming.set(key, begun)
      await begun
    }
  }

  await takeOver()
  await makeRoom()
  const looking = setInterval(() => void makeRoom(), lookMs).unref()

  return {
    async hold(key, most) {
      if (!isKey(key)) throw new AppError("not_found", sentence("storage.object_gone")) // such as a way out of here
      const copy = await ensure(key, most)
      copy.used = ++uses
      const path = pathOf(key)
      await noteUse(key, copy).catch(() => undefined)
      await makeRoom()
      let isHeld = true
      return {
        path,
        [Symbol.dispose]() {
          if (isHeld) copy.holders--
          isHeld = false
          void makeRoom()
        },
      }
    },

    async adopt(key, path) {
      await linkOrCopy(path, pathOf(key))
      note(key, (await lstat(path)).size)
      await makeRoom()
    },

    drop,
    [Symbol.dispose]: () => clearInterval(looking),
  }
}

const damaged = () => new AppError("unavailable", sentence("storage.object_damaged"))

/** Another one after the file was written to or exchanged; null where there is none. */
const identityOf = (path: string): Promise<string | null> =>
  lstat(path, { bigint: true }).then(
    (found) => (found.isFile() ? [found.ino, found.size, found.mtimeNs, found.ctimeNs].join(":") : null),
    () => null,
  )

/** Whether a file here has the bytes that a key says. */
export async function isMadeOf(path: string, key: string): Promise<boolean> {
  await using file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)).catch(() => null)
  return file !== null && Buffer.from(await hashFile(file), "base64").toString("hex") === hashOfKey(key)
}
