import { sql, type Kysely } from "kysely"

interface Facts {
  id: string
  dataDirectory: string | null
  moved: boolean
}

async function factsOf<Tables>(db: Kysely<Tables>): Promise<Facts | undefined> {
  const { rows } = await sql<Facts>`SELECT id, "dataDirectory", moved FROM "schemaVersion"`.execute(db)
  return rows[0]
}

/** Tells the rows on a server from any others. */
export const serverDatabaseId = async <Tables>(db: Kysely<Tables>): Promise<string> =>
  (await factsOf(db))?.id ?? ""

/** The id of the data directory that has the files of which the rows tell; null: none yet. */
export const ownerOf = async <Tables>(db: Kysely<Tables>): Promise<string | null> =>
  (await factsOf(db))?.dataDirectory ?? null

/** False where the rows are another data directory's. */
export async function own<Tables>(db: Kysely<Tables>, dataDirectoryId: string): Promise<boolean> {
  await sql`UPDATE "schemaVersion" SET "dataDirectory" = ${dataDirectoryId} WHERE "dataDirectory" IS NULL`.execute(
    db,
  )
  return (await ownerOf(db)) === dataDirectoryId
}

/** Whether all rows that were to be moved here are here. */
export const isMoved = async <Tables>(db: Kysely<Tables>): Promise<boolean> =>
  (await factsOf(db))?.moved ?? false

/** With false nothing starts on the database any more: rows are being moved here, or went from here. */
export async function setMoved<Tables>(db: Kysely<Tables>, moved: boolean): Promise<void> {
  await sql`UPDATE "schemaVersion" SET moved = ${moved}`.execute(db)
}
