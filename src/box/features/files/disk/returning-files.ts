import type { DbOf } from "../../../core/database/database.ts"
import { namesOf } from "../file-entry.ts"
import type { FoundFile } from "../../../engines/folder-watcher/scan.ts"
import type { NamedFile, StoragePlace } from "./find-stored.ts"
import type { StoredFiles } from "./stored-files.ts"

/**
 * Which deleted files are being brought back. Their bytes have a name again before the database says so; written down before, so
 * that a box that is killed in between takes them for the same file when it is brought back once more.
 */
export function createReturningFiles(db: DbOf<"files">, stored: Pick<StoredFiles, "findIfStill">) {
  return {
    /** It is about to get this name in its sub-folder, as the file of this fingerprint. */
    async begin(fileId: string, name: string, file: string): Promise<void> {
      await db
        .insertInto("returningFiles")
        .values({ fileId, name, file })
        .onConflict((conflict) => conflict.column("fileId").doUpdateSet({ name, file }))
        .execute()
    },

    async end(transaction: DbOf<"files">, fileId: string): Promise<void> {
      await transaction.deleteFrom("returningFiles").where("fileId", "=", fileId).execute()
    },

    /** The file that a restore which was cut off left in its folder. */
    async left(place: StoragePlace, { id, subFolder }: NamedFile): Promise<FoundFile | null> {
      const begun = await db
        .selectFrom("returningFiles")
        .select(["name", "file"])
        .where("fileId", "=", id)
        .executeTakeFirst()
      return begun ? stored.findIfStill(place, namesOf({ subFolder, name: begun.name }), begun.file) : null
    },
  }
}
