import type { DbOf } from "../../../core/database/database.ts"
import { parseTimestamp, timestamp } from "../../../core/ids.ts"
import type { FileRow } from "../file-entry.ts"
import { pageColumns, getPage, type StoredPage } from "./stored-page.ts"

/** Maximum number of due pages read at once. */
const maxDue = 20

/** Rows of files that are copies of web pages. */
export function createDuePages(db: DbOf<"files">) {
  return {
    /** The time at which the next page is due; null if no page is refreshed. */
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

    /** The pages that are due, longest overdue first. */
    due: (): Promise<FileRow[]> =>
      db
        .selectFrom("files")
        .selectAll()
        .where("refreshAt", "is not", null)
        .where("refreshAt", "<=", timestamp())
        .orderBy("refreshAt")
        .limit(maxDue)
        .execute(),

    async put(fileId: string, refreshAt: string | null): Promise<void> {
      await db.updateTable("files").set({ refreshAt }).where("id", "=", fileId).execute()
    },

    /**
     * Updates the stored data of a page; `next` returns when the page is fetched again. Does nothing if the file is gone or isn't a web
     * page.
     */
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
        const before = row && getPage(row)
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
