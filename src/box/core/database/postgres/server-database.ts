import { sql, type Kysely } from "kysely"

/** Tells the rows on a server from any others. */
export async function serverDatabaseId<Tables>(db: Kysely<Tables>): Promise<string> {
  const { rows } = await sql<{ id: string }>`SELECT id FROM "schemaVersion"`.execute(db)
  return rows[0]?.id ?? ""
}

/** Whether all rows that were to be moved here are here. */
export async function isMoved<Tables>(db: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql<{ moved: boolean }>`SELECT moved FROM "schemaVersion"`.execute(db)
  return rows[0]?.moved ?? false
}

export async function endMove<Tables>(db: Kysely<Tables>): Promise<void> {
  await sql`UPDATE "schemaVersion" SET moved = true`.execute(db)
}

/** The rows went elsewhere: those here are no data directory's any more. */
export async function disown<Tables>(db: Kysely<Tables>): Promise<void> {
  await sql`UPDATE "schemaVersion" SET "dataDirectory" = NULL`.execute(db)
}

/** False where the rows are another data directory's: the files that they tell of are there, and not here. */
export async function own<Tables>(db: Kysely<Tables>, dataDirectoryId: string): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    UPDATE "schemaVersion" SET "dataDirectory" = ${dataDirectoryId}
    WHERE coalesce("dataDirectory", ${dataDirectoryId}) = ${dataDirectoryId}`.execute(db)
  return numAffectedRows > 0n
}
