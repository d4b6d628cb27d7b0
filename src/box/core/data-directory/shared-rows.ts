import { createBoxValues, type BoxValues } from "../database/box-values.ts"
import type { DbOf } from "../database/database.ts"

/** What a box has elsewhere than in its data directory, so that another one can take its place. */
export interface Shared {
  /** Where its files are. */
  files: string
  /** Seals tokens and keys of other services in the rows. */
  secretsKey: Buffer
  /** Public address of all boxes on the database. */
  publicUrl: string | null
}

/** Key of the box's value that is there while the running box has so: where its files are. */
export const sharedFiles = "sharedFiles"
/** … and the public address, empty without one. Older versions stored none. */
export const sharedPublicUrl = "sharedPublicUrl"

/** Tells other boxes whether the one that runs can be taken the place of. */
export async function noteShared(values: BoxValues, shared: Shared | null): Promise<void> {
  if (shared === null) await values.remove(sharedFiles, sharedPublicUrl)
  else
    await values.write([
      { key: sharedFiles, value: shared.files },
      { key: sharedPublicUrl, value: shared.publicUrl ?? "" },
    ])
}

/** Key of the box's value that says where other boxes reach the one that runs. */
export const runningAt = "runningAt"

/** Tells those that wait where to pass on what they are asked. */
export const noteRunning = (values: BoxValues, url: string): Promise<void> =>
  values.write([{ key: runningAt, value: url }])

export const areShared = async (db: DbOf<"core">): Promise<boolean> =>
  (await createBoxValues(db).read(sharedFiles)) !== null
