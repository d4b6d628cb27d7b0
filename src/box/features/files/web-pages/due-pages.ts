import type { DbOf } from "../../../core/database/database.ts"
import { parseTimestamp, timestamp } from "../../../core/ids.ts"
import type { FileRow } from "../file-entry.ts"
import { pageColumns, pageOf, type StoredPage } from "./stored-page.ts"

/** How many pages are looked up at once. */
const mostDue = 20

/** Rows of files that are copies of web pages. */
export function createDuePages(db: DbOf<"files">) {
  return {
    /** When the first page is to be fetched again; null when none is. */
    async next(): Promise<number | null> {
      const row = await db
        .selectFrom("files")
        .select("refreshAt")
        .where("refreshAt", "is not", null)
        .orderBy("refreshAt")
        .limit(1)
        .executeTakeFirst()
      return row?.refreshAt ? parseTimestamp(row.refreshAt, Infinity) : null
    },

    /** Those whose time has come, the longest due first. */
    due: (): Promise<FileRow[]> =>
      db
        .selectFrom("files")
        .selectAll()
        .where("refreshAt", "is not", null)
        .where("refreshAt", "<=", timestamp())
        .orderBy("refreshAt")
        .limit(mostDue)
        .execute(),

    async put(fileId: string, refreshAt: string | null): Promise<void> {
      await db.updateTable("files").set({ refreshAt }).where("id", "=", fileId).execute()
    },

    /** Changes what is said of a page; `next` tells when it is fetched again. Nothing where the file is gone or is none. */
    change: (
      fileId: string,
      to: Partial<StoredPage>,
      next: (page: StoredPage) => string | null,
    ): Promise<void> =>
      db.transaction().execute(async (transaction) => {
        const row = await transaction
          .selectFrom("files")
          .select("webPage")
          .where("id", "=", fileId)
          .executeTakeFirst()
        const before = row && pageOf(row)
        if (!before) return
        const page = { ...before, ...to }
        await transaction
          .updateTable("files")
          .set(pageColumns(page, next(page)))
          .where("id", "=", fileId)
          .execute()
      }),
  }
}
