import { open, type FileHandle } from "node:fs/promises"
import type { AnyTransaction } from "../database/database.ts"
import { hashFile } from "../files/hash-file.ts"
import type { Logger } from "../logging/logger.ts"
import type { HeldCopy, ObjectCache } from "./object-cache.ts"
import { createObjectKey, noteNewObject } from "./object-rows.ts"
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

export interface ObjectFilesDeps {
  db: AnyTransaction
  store: Pick<ObjectStore, "put">
  cache: ObjectCache
  logger: Pick<Logger, "debug">
}

export function createObjectFiles({ db, store, cache, logger }: ObjectFilesDeps): ObjectFiles {
  return {
    async put(path) {
      await using file = await open(path)
      const stored = await storeFile({ db, store }, file, path)
      await cache.adopt(stored.key, path).catch((error: unknown) => {
        logger.debug({ err: error }, "An upload is fetched again in order to be read")
      })
      return stored
    },
    hold: cache.hold,
  }
}

/** Stores the bytes of an open file, which is at this path, under a new key. The key is recorded before the upload. */
export async function storeFile(
  { db, store }: Pick<ObjectFilesDeps, "db" | "store">,
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
