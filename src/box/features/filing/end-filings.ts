import type { DbOf } from "../../core/database/database.ts"

/** A file that is in a hidden folder while it is being moved. `taken` says where it was and where its bytes are. */
export interface MovingFile {
  ownerId: string
  fileId: string
  taken: string
}

/**
 * Ends the moves that were under way in a database that comes from a backup, and returns their files. Continuing a move writes a file
 * where the backup says, and no owner has agreed to that.
 */
export async function endFilings(db: DbOf<"filing">): Promise<MovingFile[]> {
  const moving = await db
    .selectFrom("filings")
    .select(["ownerId", "fileId", "taken"])
    .where("taken", "is not", null)
    .execute()
  await db.deleteFrom("filings").where("status", "=", "moving").execute()
  await db.updateTable("filings").set({ taken: null }).where("taken", "is not", null).execute()
  await db.updateTable("filings").set({ status: "done" }).where("status", "=", "undoing").execute()
  return moving.map(({ taken, ...file }) => ({ ...file, taken: taken ?? "" }))
}
