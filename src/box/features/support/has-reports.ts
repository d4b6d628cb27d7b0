import type { DbOf } from "../../core/database/database.ts"

/** Whether any user has written a report. */
export async function hasReports(db: DbOf<"support">): Promise<boolean> {
  return (await db.selectFrom("supportTickets").select("id").limit(1).executeTakeFirst()) !== undefined
}
