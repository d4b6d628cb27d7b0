import type { DbOf } from "../../core/database/database.ts"
import { readStored } from "../../core/database/stored-json.ts"
import { isOwnId, newId } from "../../core/ids.ts"
import { deleteContents } from "./passages/file-contents.ts"
import { TakenFile } from "./leaving/taken-files.ts"
import { noteTrashed } from "./leaving/trashed-files.ts"

/**
 * Ends file changes that were in progress in a restored backup. Files that were being moved are in the trash afterwards, from which their
 * owner can restore them. Returns the hidden folders that contained these files.
 */
export async function endFileChanges(
  db: DbOf<"files">,
  moving: readonly { ownerId: string; fileId: string; taken: string }[],
): Promise<string[]> {
  await db.updateTable("unfinishedChanges").set({ fromFile: null, toFile: null }).execute()
  await db.deleteFrom("returningFiles").execute()
  const hidden: string[] = []
  for (const { ownerId, fileId, taken } of moving) {
    const kept = readStored(TakenFile, taken)
    if (!kept) continue
    const row = await db
      .selectFrom("files")
      .selectAll()
      .where("id", "=", fileId)
      .where("folderId", "=", kept.hiddenId)
      .executeTakeFirst()
    if (!row) continue
    const trashId = row.object === null ? kept.trashId : newId()
    const isValidLocation = isOwnId(kept.folderId) && trashId !== null && isOwnId(trashId)
    if (isValidLocation && (await isFree(db, trashId)))
      await noteTrashed(db, trashId, ownerId, { ...row, folderId: kept.folderId })
    await deleteContents(db, [fileId])
    await db.deleteFrom("files").where("id", "=", fileId).execute()
    hidden.push(kept.hiddenId)
  }
  return hidden
}

/** Returns whether no file in the trash has this ID. */
const isFree = async (db: DbOf<"files">, id: string): Promise<boolean> =>
  (await db.selectFrom("trashedFiles").select("id").where("id", "=", id).executeTakeFirst()) === undefined
