import { existsSync } from "node:fs"
import { realpath } from "node:fs/promises"
import { moveAside } from "../core/data-directory/move-rows.ts"
import { getId } from "../core/data-directory/database-location.ts"
import { managedFoldersPath, objectCachePath } from "../core/data-layout.ts"
import type { Database } from "../core/database/database.ts"
import { silentLogger } from "../core/logging/logger.ts"
import { openObjectCache } from "../core/objects/object-cache.ts"
import type { S3Address } from "../core/objects/s3-address.ts"
import {
  ObjectStoreUnavailable,
  ObjectStoreUnusable,
  type ObjectStore,
} from "../core/objects/object-store.ts"
import { createOwnedStore, type OwnedStore, requireOwnPrefix } from "../core/objects/owned-store.ts"
import { instanceOf } from "../core/database/postgres/server-database.ts"
import { TerminalError } from "../core/terminal-error.ts"
import { createPutCompared } from "../core/objects/object-files.ts"
import { openS3 } from "../core/objects/s3-store.ts"
import { createOutbound } from "../core/outbound/outbound.ts"
import { knownObject } from "../core/objects/object-rows.ts"
import {
  moveToDirectories,
  moveToObjects,
  type MovedFiles,
  type MoveFilesDeps,
} from "../features/files/move-files.ts"
import { chatFilesToDirectories, chatFilesToObjects } from "../features/chat/tool-calls/move-chat-files.ts"
import { createStoredFolders } from "../features/folders/store.ts"

/** Size of the local cache for copies when files move back. */
const cacheBytes = 1e9

export interface MoveFilesOptions {
  /** The object store. */
  store: S3Address
  to: "store" | "directory"
  database: Database
  dataDir: string
  signal: AbortSignal
}

/** Moves the files of the box's own folders to an object store, or from there into directories. Returns the lines to print. */
export async function moveFiles({
  store: address,
  to,
  database,
  dataDir: directory,
  signal,
}: MoveFilesOptions): Promise<string[]> {
  const dataDir = await realpath(directory)
  await using outbound = createOutbound({
    localOnly: () => ({ on: false, decidedBy: "start", programs: true }),
    record: () => undefined, // the user who runs the command already knows
  })
  const job = { db: database, folders: createStoredFolders(database, dataDir), dataDir, signal }
  const id = getId(dataDir)
  await using objectStore = openS3(address, outbound)
  try {
    if (to === "directory") {
      await requireOwnPrefix(objectStore, { id, database: "any" }) // nothing is changed on the store
      return await restoreFiles(objectStore, job)
    }
    const store = createOwnedStore({
      store: objectStore,
      owner: { id, database: await instanceOf(database) },
      known: await knownObject(database),
      logger: silentLogger,
    })
    await store.checkOwner()
    return await take(store, job)
  } catch (error) {
    signal.throwIfAborted() // the store's client wraps an abort in its own error
    if (error instanceof ObjectStoreUnusable)
      throw new TerminalError(error.code, error.advice, { cause: error })
    if (error instanceof ObjectStoreUnavailable)
      throw new TerminalError(
        error.code,
        `The object store ${error.address} can't be reached, or reports errors.`,
        {
          cause: error,
        },
      )
    throw error
  }
}

interface Job extends MoveFilesDeps {
  db: Database
  signal: AbortSignal
}

async function take(store: OwnedStore, job: Job): Promise<string[]> {
  const put = createPutCompared(store, job.db, job.signal)
  const made = await chatFilesToObjects(put, job.db, job.dataDir)
  const moved = await moveToObjects(put, job)
  const directory = managedFoldersPath(job.dataDir)
  if (!existsSync(directory)) return [describeMoved(moved, made)]
  const aside = await moveAside(job.dataDir, directory, "moved-files")
  return [
    describeMoved(moved, made),
    `The previous directories are in ${aside}. Delete it when everything works.`,
    "From now on, start with --files.",
  ]
}

async function restoreFiles(store: ObjectStore, job: Job): Promise<string[]> {
  using cache = await openObjectCache({
    directory: objectCachePath(job.dataDir),
    store,
    maxBytes: cacheBytes,
  })
  const made = await chatFilesToDirectories(cache, job.db, job.dataDir)
  const moved = await moveToDirectories(cache, job, job.signal)
  return [
    describeMoved(moved, made),
    `The objects stay at ${store.address}. Delete them when everything works.`,
    "From now on, start without --files.",
  ]
}

const describeMoved = ({ files, bytes }: MovedFiles, chatFileCount: number) =>
  `files\t${files} moved and compared, ${bytes} bytes; ${chatFileCount} from chats`
