import { objectCachePath } from "../../core/data-layout.ts"
import { DatabaseUnusable } from "../../core/database/database.ts"
import { createObjectFiles, type ObjectFiles } from "../../core/objects/object-files.ts"
import { openObjectCache } from "../../core/objects/object-cache.ts"
import { knownObject } from "../../core/objects/object-rows.ts"
import { ObjectStoreUnavailable, ObjectStoreUnusable } from "../../core/objects/object-store.ts"
import { createOwnedStore, type OwnedStore } from "../../core/objects/owned-store.ts"
import type { S3Address } from "../../core/objects/s3-address.ts"
import { openS3 } from "../../core/objects/s3-store.ts"
import { createUnusedObjects, type UnusedObjects } from "../../core/objects/unused-objects.ts"
import type { Outbound } from "../../core/outbound/outbound.ts"
import { waitAtMost } from "../../core/waiting/abort-and-timeout.ts"
import { getStorageOptions, type TableStore } from "../../engines/vectors/tables-location.ts"
import type { StoredFolders } from "../../features/files/folder-places.ts"
import { endTrashedObjects } from "../../features/files/leaving/trashed-files.ts"
import { areInDirectories } from "../../features/files/move-files.ts"
import type { Base } from "../compose-options.ts"

/** Maximum time that a start waits for the store to report its owner; after that, the store is asked when it is needed. */
const lookupTimeoutMs = 10_000
/** The same during a takeover, for which requests wait. The standby server has already checked the store. */
const takeoverLookupTimeoutMs = 2_000

export interface Objects {
  objects: ObjectFiles | null
  unusedObjects: UnusedObjects | null
  /** Whether the store works. */
  answers(): Promise<boolean>
}

/** Keeps files on an object store. @throws DatabaseUnusable if they are in directories, or the box may not write to the store */
export async function openObjects(
  base: Base,
  location: S3Address,
  outbound: Outbound,
  places: Pick<StoredFolders, "all">,
): Promise<Objects> {
  const { config, logger, clock, dataDir, stack } = base
  const { db } = base.database
  const own = (await places.all()).filter(({ managed }) => managed).map(({ id }) => id)
  if (await areInDirectories(db, own))
    throw new DatabaseUnusable(
      `${dataDir} has files in directories. Move them to the object store with "move --files ${location.address}".`,
    )
  const store = await openOwned(base, location, outbound, await knownObject(db))
  const cache = stack.use(
    await openObjectCache({
      directory: objectCachePath(dataDir),
      store,
      maxBytes: config.filesCacheGb * 1e9,
    }),
  )
  return {
    answers: () => store.answers(),
    objects: createObjectFiles({ db, store, cache, logger }),
    unusedObjects: stack.use(
      createUnusedObjects({
        db,
        store,
        cache,
        times: clock,
        beforeScan: () => endTrashedObjects(db, clock.now()),
        logger,
      }),
    ),
  }
}

/** Keeps the tables of the search index on an object store. @throws DatabaseUnusable if the box may not write to it */
export async function openTableStore(
  base: Base,
  location: S3Address,
  outbound: Outbound,
): Promise<TableStore> {
  const store = await openOwned(base, location, outbound, null)
  outbound.noteForeign("object-storage", location.endpoint ?? `https://s3.${location.region}.amazonaws.com`)
  return {
    uri: location.address,
    storageOptions: getStorageOptions(location),
    maxCopiedBytes: base.config.vectorsCacheGb * 1e9,
    checkOwner: () => store.checkOwner(),
    answers: () => store.answers(),
    get: (key, signal) => store.get(key, signal),
    list: (prefix) => store.list(prefix),
    remove: (key) => store.remove(key),
  }
}

/** Opens a location that must belong to this box. If it doesn't respond now, its owner is checked when it is needed. */
async function openOwned(
  { rowsOwner: owner, logger, stack, forwarding }: Base,
  location: S3Address,
  outbound: Outbound,
  known: string | null,
): Promise<OwnedStore> {
  const store = createOwnedStore({ store: stack.use(openS3(location, outbound)), owner, known, logger })
  const timeoutMs = forwarding === null ? lookupTimeoutMs : takeoverLookupTimeoutMs
  await waitAtMost(timeoutMs, store.checkOwner()).catch((error: unknown) => {
    if (error instanceof ObjectStoreUnusable) throw new DatabaseUnusable(error.advice, { cause: error })
    if (!(error instanceof ObjectStoreUnavailable)) throw error
  })
  return store
}
