import { DatabaseUnusable } from "../../core/database/database.ts"
import type { Outbound } from "../../core/outbound/outbound.ts"
import type { TableStore } from "../../engines/vectors/remote-tables.ts"
import type { StoredFolders } from "../../features/files/folder-places.ts"
import { knownObject } from "../../core/objects/object-rows.ts"
import type { Base } from "../compose-options.ts"
import type { Objects } from "./open-objects.ts"

/**
 * Opens the object store for the files of the box's own folders; without one, they are in directories.
 * @throws DatabaseUnusable if the files are elsewhere than configured, or the box may not write to the store
 */
export async function composeObjects(
  base: Base,
  outbound: Outbound,
  places: Pick<StoredFolders, "all">,
): Promise<Objects> {
  const { files } = base.config
  if (files !== null) return (await import("./open-objects.ts")).openObjects(base, files, outbound, places)
  if ((await knownObject(base.database.db)) !== null)
    throw new DatabaseUnusable(
      'Files of this Casella are on an object store. Name it with --files, or bring them back with "move --files directory".',
    )
  return { objects: null, unusedObjects: null, answers: () => Promise.resolve(true) }
}

/** Opens the object store for the tables of the search index; null: they are in the data directory. */
export async function composeTableStore(base: Base, outbound: Outbound): Promise<TableStore | null> {
  const { vectors } = base.config
  if (vectors === null) return null
  return (await import("./open-objects.ts")).openTableStore(base, vectors, outbound)
}
