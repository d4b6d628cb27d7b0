import { open } from "node:fs/promises"
import type { DbOf } from "../../../core/database/database.ts"
import { hashFile } from "../../../core/files/hash-file.ts"
import { timestamp } from "../../../core/ids.ts"
import type { Logger } from "../../../core/logging/logger.ts"
import { keyOf, type HeldCopy, type ObjectCache } from "../../../core/objects/object-cache.ts"
import type { ObjectStore } from "../../../core/objects/object-store.ts"
import type { FoundFile } from "../../../engines/folder-watcher/scan.ts"

/** The bytes of a file as a store has them. */
export interface StoredObject {
  key: string
  size: number
  modifiedMs: number
}

/** Where the bytes of files in the box's own folders are, instead of its data directory. */
export interface FileObjects {
  /** Stores the bytes of a complete file here. Until a row tells of the object it is written down as unused. */
  put(path: string): Promise<StoredObject>
  /** A copy here. Throws as `ObjectCache`. */
  hold(key: string): Promise<HeldCopy>
}

export interface FileObjectsDeps {
  db: DbOf<"files">
  store: Pick<ObjectStore, "put">
  cache: ObjectCache
  logger: Pick<Logger, "debug">
}

export function createFileObjects({ db, store, cache, logger }: FileObjectsDeps): FileObjects {
  return {
    async put(path) {
      await using file = await open(path)
      const { size, mtimeMs } = await file.stat()
      const key = keyOf(await hashFile(file))
      // Written down first: whatever becomes of this box, what it began to store is found again.
      await db.insertInto("unusedObjects").values({ object: key, noticedAt: timestamp(), isNew: 1 }).execute()
      await store.put(key, path)
      await cache.adopt(key, path).catch((error: unknown) => {
        logger.debug({ err: error }, "The bytes of an upload are fetched again to be read")
      })
      return { key, size, modifiedMs: mtimeMs }
    },
    hold: cache.hold,
  }
}

/** A file that is an object under a name. */
export const describeObject = (path: string, { key, size, modifiedMs }: StoredObject): FoundFile => ({
  path,
  size,
  modifiedMs,
  identity: key,
  changedMs: null,
  storage: "local",
})
