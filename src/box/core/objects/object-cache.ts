import { createHash } from "node:crypto"
import { createWriteStream } from "node:fs"
import { lstat, mkdir, readdir, rename, rm, utimes } from "node:fs/promises"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { linkOrCopy, partialPrefix } from "../files/durable-file.ts"
import { newId } from "../ids.ts"
import { ObjectsAway, type ObjectStore } from "./object-store.ts"

/** A copy of an object's bytes here, which stays until this is disposed of. */
export interface HeldCopy extends Disposable {
  path: string
}

/** Copies of objects in a directory, as many as there is room for; those that nobody used for longest go first. */
export interface ObjectCache {
  /** Throws `not_found` where the store hasn't the object any more, `unavailable` as it does and where the bytes aren't those stored. */
  hold(key: string): Promise<HeldCopy>
  /** Takes a file as the copy of an object that was just made of it. */
  adopt(key: string, path: string): Promise<void>
  /** Nobody wants the object any more. */
  drop(key: string): Promise<void>
}

export interface ObjectCacheOptions {
  directory: string
  store: Pick<ObjectStore, "get" | "address">
  /** What all copies together may take, in bytes; more only while it is in use. */
  mostBytes: number
}

interface Copy {
  bytes: number
  /** Order of use. */
  used: number
  holders: number
}

/**
 * The key of a new object says what its bytes are.
 * @param hash theirs by SHA-256, in base64
 */
export const keyOf = (hash: string): string => `${newId()}.${Buffer.from(hash, "base64").toString("hex")}`
const hashOf = (key: string): string => key.slice(key.lastIndexOf(".") + 1)

/** Takes over what an earlier run left. */
export async function openObjectCache({
  directory,
  store,
  mostBytes,
}: ObjectCacheOptions): Promise<ObjectCache> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const copies = new Map<string, Copy>()
  const coming = new Map<string, Promise<void>>()
  let total = 0
  let uses = 0
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
    copies.set(key, { bytes, used: ++uses, holders: 0 })
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

  async function makeRoom(): Promise<void> {
    if (total <= mostBytes) return
    const free = [...copies].filter(([, { holders }]) => holders === 0)
    for (const [key] of free.sort(([, a], [, b]) => a.used - b.used)) {
      if (total <= mostBytes) return
      await drop(key)
    }
  }

  async function bring(key: string): Promise<void> {
    const source = await store.get(key)
    if (source === null) throw new AppError("not_found", sentence("storage.object_gone"))
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
            yield piece
          }
        },
        createWriteStream(partial, { flags: "wx", mode: 0o600 }),
      ).catch((error: NodeJS.ErrnoException) => {
        throw error.syscall === undefined ? new ObjectsAway(store.address, error) : error
      })
      if (hash.digest("hex") !== hashOf(key))
        throw new AppError("unavailable", sentence("storage.object_damaged"))
      await rename(partial, pathOf(key))
    } finally {
      await rm(partial, { force: true })
    }
    note(key, bytes)
  }

  /** Held already. Whoever wants the same one meanwhile waits for it. */
  async function ensure(key: string): Promise<Copy> {
    for (;;) {
      const copy = copies.get(key)
      if (copy) {
        copy.holders++
        if (await isThere(pathOf(key))) return copy
        copy.holders--
        if (copies.get(key) === copy) forget(key, copy)
      }
      const begun = coming.get(key) ?? bring(key).finally(() => coming.delete(key))
      coming.set(key, begun)
      await begun
    }
  }

  await takeOver()
  await makeRoom()

  return {
    async hold(key) {
      const copy = await ensure(key)
      copy.used = ++uses
      const path = pathOf(key)
      await utimes(path, new Date(), (await lstat(path)).mtime).catch(() => undefined) // the next run goes by it
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
  }
}

const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    (found) => found.isFile(),
    () => false,
  )
