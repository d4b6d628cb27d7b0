import { FiledAs } from "../../../shared/contract/filing.ts"
import type { DbOf } from "../../core/database/database.ts"
import { readStored } from "../../core/database/stored-json.ts"

const rowsPerRead = 1_000

/** A file that is in a hidden folder while it is being moved. `taken` records where it was and where its bytes are. */
export interface MovingFile {
  ownerId: string
  fileId: string
  taken: string
}

/**
 * Ends the moves that were in progress in a database restored from a backup, and returns their files. Continuing a move would write a file
 * to a location from the backup, and no owner has agreed to that. Unreadable filings are removed, because they would make the list of
 * filings fail.
 */
export async function endFilings(db: DbOf<"filing">): Promise<MovingFile[]> {
  await removeUnreadable(db)
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

async function removeUnreadable(db: DbOf<"filing">): Promise<void> {
  const isReadable = (place: string | null) => place === null || readStored(FiledAs, place) !== undefined
  for (let after = ""; ;) {
    const rows = await db
      .selectFrom("filings")
      .select(["id", "was", "became"])
      .where("id", ">", after)
      .orderBy("id")
      .limit(rowsPerRead)
      .execute()
    const unreadable = rows.filter(({ was, became }) => !isReadable(was) || !isReadable(became))
    const ids = unreadable.map(({ id }) => id)
    if (ids.length > 0) await db.deleteFrom("filings").where("id", "in", ids).execute()
    const last = rows.at(-1)
    if (last === undefined) return
    after = last.id
  }
}
