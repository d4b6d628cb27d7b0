import { z } from "zod"
import type { DbOf } from "../../core/database/database.ts"
import { readStored } from "../../core/database/sql-helpers.ts"

const Taken = z.object({ trashId: z.string().nullable() })

const underWay = (db: DbOf<"filing">) => db.selectFrom("filings").where("taken", "is not", null)

/** Whether the server stopped while a file was being moved. */
export const isMovingFiles = async (db: DbOf<"filing">): Promise<boolean> =>
  (await underWay(db).select("id").limit(1).executeTakeFirst()) !== undefined

/** Trash IDs of the bytes of files that are being moved. */
export async function listMovingTrashIds(db: DbOf<"filing">): Promise<string[]> {
  const rows = await underWay(db).select("taken").execute()
  return rows.flatMap(({ taken }) => readStored(Taken, taken ?? "")?.trashId ?? [])
}
