import { z } from "zod"
import type { WebCopy } from "../../../../shared/contract/files.ts"
import { PageProblem } from "../../../../shared/contract/files.ts"
import type { DbOf } from "../../../core/database/database.ts"
import { readStored } from "../../../core/database/stored-json.ts"

/** Data that a row stores about a file that is a copy of a web page. */
export const StoredPage = z.object({
  url: z.string(),
  /** The folder's owner, who added the page. */
  userId: z.string(),
  refreshHours: z.int().nullable(),
  /** Hash of the bytes that were fetched last. */
  hash: z.string(),
  fetchedAt: z.string(),
  problem: PageProblem.nullable(),
})
export type StoredPage = z.infer<typeof StoredPage>

interface PageColumns {
  webPage: string | null
  refreshAt: string | null
}

export const getPage = ({ webPage }: Pick<PageColumns, "webPage">): StoredPage | null =>
  webPage === null ? null : (readStored(StoredPage, webPage) ?? null)

export const pageColumns = (page: StoredPage, refreshAt: string | null): PageColumns => ({
  webPage: JSON.stringify(page),
  refreshAt,
})

/** Stops refreshing web pages in a database restored from a backup, until their owner sets an interval again. */
export async function stopRefreshing(db: DbOf<"files">): Promise<void> {
  const rows = await db
    .selectFrom("files")
    .select(["id", "webPage"])
    .where("webPage", "is not", null)
    .execute()
  for (const row of rows) {
    const page = getPage(row)
    const columns = page ? pageColumns({ ...page, refreshHours: null }, null) : { refreshAt: null }
    await db.updateTable("files").set(columns).where("id", "=", row.id).execute()
  }
}

/** A page as the API shows it. */
export function presentPage(row: PageColumns): WebCopy | null {
  const page = getPage(row)
  if (!page) return null
  const { url, refreshHours, fetchedAt, problem } = page
  return { url, refreshHours, fetchedAt, refreshAt: row.refreshAt, problem }
}
