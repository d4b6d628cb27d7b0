import type { DbOf } from "../../../core/database/database.ts"
import { getNames } from "../file-entry.ts"
import type { FoundFile } from "../../../engines/folder-watcher/scan.ts"
import type { NamedFile, StorageLocation } from "./find-stored.ts"
import type { StoredFiles } from "./stored-files.ts"

/**
 * Tracks deleted files that are being restored. Their bytes get a name before the database is updated. The name is stored first, so that
 * after a crash the next restore recognises the same file.
 */
export function createReturningFiles(db: DbOf<"files">, stored: Pick<StoredFiles, "findIfUnchanged">) {
  return {
    /** Records the name that the file with this fingerprint is about to get in its sub-folder. */
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

    /** Returns the file that an interrupted restore left in its folder. */
    async left(folder: StorageLocation, { id, subFolder }: NamedFile): Promise<FoundFile | null> {
      const begun = await db
        .selectFrom("returningFiles")
        .select(["name", "file"])
        .where("fileId", "=", id)
        .executeTakeFirst()
      return begun
        ? stored.findIfUnchanged(folder, getNames({ subFolder, name: begun.name }), begun.file)
        : null
    },
  }
}
