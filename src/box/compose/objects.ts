import { DatabaseUnusable } from "../core/database/database.ts"
import { objectCachePath } from "../core/data-layout.ts"
import type { Outbound } from "../core/outbound/outbound.ts"
import { waitAtMost } from "../core/waiting/time-limit.ts"
import type { KeptObjects } from "../core/objects/kept-objects.ts"
import type { UnusedObjects } from "../core/objects/unused-objects.ts"
import { endTrashedObjects } from "../features/files/objects/trashed-objects.ts"
import { anyObject, areInDirectories } from "../features/files/objects/where-files-are.ts"
import type { FolderPlaces } from "../features/files/folder-places.ts"
import type { OwnedStore } from "../core/objects/owned-store.ts"
import type { S3Address } from "../core/objects/s3-address.ts"
import type { TableStore } from "../engines/vectors/remote-tables.ts"
import { ObjectsAway } from "../core/objects/object-store.ts"
import type { Base } from "./compose-options.ts"

/** A start waits so long for the store to say whose the place is; it is asked again when it is needed. */
const longestLookMs = 10_000

export interface ComposedObjects {
  objects: KeptObjects | null
  unusedObjects: UnusedObjects | null
}

/**
 * Where files of the box's own folders are: in directories, or on an object store.
 * @throws DatabaseUnusable where they are elsewhere than the box is told, or it may not write there
 */
export async function composeObjects(
  base: Base,
  outbound: Outbound,
  places: Pick<FolderPlaces, "all">,
): Promise<ComposedObjects> {
  const { config, logger, clock, dataDir, stack } = base
  const { db } = base.database
  const known = await anyObject(db)
  if (config.files === null) {
    if (known !== null)
      throw new DatabaseUnusable(
        'Files of this Casella are on an object store. Name it with --files, or bring them back with "move --files directory".',
      )
    return { objects: null, unusedObjects: null }
  }
  const own = (await places.all()).filter(({ managed }) => managed).map(({ id }) => id)
  if (await areInDirectories(db, own))
    throw new DatabaseUnusable(
      `${dataDir} has files in directories. Move them to the object store with "move --files ${config.files.address}".`,
    )
  const store = await openOwned(base, outbound, config.files, known)
  const [cacheRoom, kept, unused] = await Promise.all([
    import("../core/objects/object-cache.ts"),
    import("../core/objects/kept-objects.ts"),
    import("../core/objects/unused-objects.ts"),
  ])
  const cache = await cacheRoom.openObjectCache({
    directory: objectCachePath(dataDir),
    store,
    mostBytes: config.filesCacheGb * 1e9,
  })
  return {
    objects: kept.createKeptObjects({ db, store, cache, logger }),
    unusedObjects: stack.use(
      unused.createUnusedObjects({
        db,
        store,
        cache,
        times: clock,
        beforeLook: () => endTrashedObjects(db, clock.now()),
        logger,
      }),
    ),
  }
}

/** Where the tables of the search index are instead of in the data directory; null: they are there. */
export async function composeTableStore(base: Base, outbound: Outbound): Promise<TableStore | null> {
  const place = base.config.vectors
  if (place === null) return null
  const store = await openOwned(base, outbound, place, null)
  const { storageOptionsOf } = await import("../core/objects/s3-address.ts")
  outbound.noteForeign("object-storage", place.endpoint ?? `https://s3.${place.region}.amazonaws.com`)
  return {
    uri: place.address,
    storageOptions: storageOptionsOf(place),
    look: store.look,
    list: store.list,
    remove: store.remove,
  }
}

/** Opens a place that must be this box's own; one that doesn't answer now is asked when it is needed. */
async function openOwned(
  { dataDirectoryId: owner, logger, stack }: Base,
  outbound: Outbound,
  place: S3Address,
  known: string | null,
): Promise<OwnedStore> {
  const [{ openS3 }, { createOwnedStore }] = await Promise.all([
    import("../core/objects/s3-store.ts"),
    import("../core/objects/owned-store.ts"),
  ])
  const store = createOwnedStore({ store: stack.use(openS3(place, outbound)), owner, known, logger })
  await waitAtMost(longestLookMs, store.look()).catch((error: unknown) => {
    if (!(error instanceof ObjectsAway)) throw new DatabaseUnusable((error as Error).message)
  })
  return store
}
