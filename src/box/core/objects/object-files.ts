import { createHash } from "node:crypto"
import { open, type FileHandle } from "node:fs/promises"
import { join } from "node:path"
import { type AnyTransaction, DatabaseUnusable } from "../database/database.ts"
import { hashFile } from "../files/file-contents.ts"
import { openInside } from "../files/path-jail.ts"
import type { Logger } from "../logging/logger.ts"
import type { HeldCopy, ObjectCache } from "./object-cache.ts"
import { createObjectKey, noteNewObject, getHashFromKey } from "./object-rows.ts"
import type { ObjectStore } from "./object-store.ts"

/** An object on the store. */
export interface StoredObject {
  key: string
  size: number
  modifiedMs: number
}

/** Stores the bytes of files that users uploaded or tools created, instead of the data directory. */
export interface ObjectFiles {
  /** Stores the bytes of a complete local file. The object is recorded as unused until a row refers to it. */
  put(path: string): Promise<StoredObject>
  /** Returns a local copy. Throws the errors of `ObjectCache`. */
  hold(key: string, maxBytes: number): Promise<HeldCopy>
}

export function createObjectFiles({
  db,
  store,
  cache,
  logger,
}: {
  db: AnyTransaction
  store: Pick<ObjectStore, "put">
  cache: ObjectCache
  logger: Pick<Logger, "debug">
}): ObjectFiles {
  return {
    async put(path) {
      await using file = await open(path)
      const stored = await storeFile(db, store, file, path)
      await cache.adopt(stored.key, path).catch((error: unknown) => {
        logger.debug({ err: error }, "An upload is fetched again in order to be read")
      })
      return stored
    },
    hold: (key, maxBytes) => cache.hold(key, maxBytes),
  }
}

/** Stores the bytes of an open file, which is at this path, under a new key. The key is recorded before the upload. */
async function storeFile(
  db: AnyTransaction,
  store: Pick<ObjectStore, "put">,
  file: FileHandle,
  path: string,
  signal?: AbortSignal,
): Promise<StoredObject> {
  const { size, mtimeMs } = await file.stat()
  const key = createObjectKey(await hashFile(file, signal))
  await noteNewObject(db, key)
  await store.put(key, path, signal)
  return { key, size, modifiedMs: mtimeMs }
}

/**
 * Stores the file with these path names in a directory. Throws `not_found`, and `DatabaseUnusable` if the bytes that are read back differ.
 */
export type PutCompared = (root: string, names: readonly string[]) => Promise<StoredObject>

/** Stores files as objects, then reads each object back and compares its bytes. */
export const createPutCompared =
  (
    store: Pick<ObjectStore, "put" | "get" | "address">,
    db: AnyTransaction,
    signal: AbortSignal,
  ): PutCompared =>
  async (root, names) => {
    signal.throwIfAborted()
    await using file = await openInside(root, names)
    const stored = await storeFile(db, store, file, join(root, ...names), signal)
    if ((await computeHash(store, stored.key)) === getHashFromKey(stored.key)) return stored
    throw new DatabaseUnusable(`${store.address} gives ${names.join("/")} back as other bytes.`)
  }

/** Returns the SHA-256 of the object in hexadecimal; null if there is no object. */
async function computeHash(store: Pick<ObjectStore, "get">, key: string): Promise<string | null> {
  const source = await store.get(key)
  if (source === null) return null
  const hash = createHash("sha256")
  for await (const piece of source) hash.update(piece as Buffer)
  return hash.digest("hex")
}
