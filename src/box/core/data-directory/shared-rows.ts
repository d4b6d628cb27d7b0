import { createBoxValues, type BoxValues } from "../database/box-values.ts"
import type { DbOf } from "../database/database.ts"

/** Data of a box that is outside its data directory, so that another box can take over. */
export interface Shared {
  /** Location of its files. */
  files: string
  /** Key that encrypts tokens and keys of other services in the rows. */
  secretsKey: Buffer
  /** Public address of all boxes on the database. */
  publicUrl: string | null
}

/** Key of the stored value with the location of the files. It exists while the running box allows another one to take over. */
export const sharedFiles = "sharedFiles"
/** Key of the stored public address, empty if there is none. Older versions stored none. */
export const sharedPublicUrl = "sharedPublicUrl"

/** Records for other boxes whether one of them can take over from the running box. */
export async function noteShared(values: BoxValues, shared: Shared | null): Promise<void> {
  if (shared === null) await values.remove(sharedFiles, sharedPublicUrl)
  else
    await values.write([
      { key: sharedFiles, value: shared.files },
      { key: sharedPublicUrl, value: shared.publicUrl ?? "" },
    ])
}

/** Key of the stored address at which other boxes reach the running box. */
export const runningAt = "runningAt"

/** Records the address to which standby boxes forward their requests. */
export const noteRunning = (values: BoxValues, url: string): Promise<void> =>
  values.write([{ key: runningAt, value: url }])

export const areShared = async (db: DbOf<"core">): Promise<boolean> =>
  (await createBoxValues(db).read(sharedFiles)) !== null
