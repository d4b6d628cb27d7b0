import { sql, type Kysely } from "kysely"
import { isPostgres } from "../sql-helpers.ts"

/** Not permitted, missing, or not supported, for example on managed servers. */
const unknownFunction = /^(42501|42883|0A000)$/

/**
 * Identifies a database among all databases of all servers. A copy made by `pg_dump` or from a template has another identity; a replica
 * that replaced the server has the same.
 * @param ask runs a statement
 */
export async function databaseInstance(
  ask: (statement: string) => Promise<readonly unknown[]>,
): Promise<string> {
  const [database] = (await ask(
    "SELECT oid::text AS oid FROM pg_database WHERE datname = current_database()",
  )) as { oid: string }[]
  const [cluster] = (await ask("SELECT system_identifier::text AS id FROM pg_control_system()").catch(
    (error: unknown) => {
      const { code, cause } = error as { code?: string; cause?: { code?: string } }
      if (unknownFunction.test(code ?? "") || unknownFunction.test(cause?.code ?? "")) return []
      throw error
    },
  )) as { id: string }[]
  return `${cluster?.id ?? "unknown"}/${database?.oid}`
}

/** Returns the same identity for an open database; null: it is a file. */
export const instanceOf = async <Tables>(db: Kysely<Tables>): Promise<string | null> =>
  isPostgres(db) ? databaseInstance(async (statement) => (await sql.raw(statement).execute(db)).rows) : null

interface Facts {
  id: string
  dataDirectory: string | null
  moved: boolean
}

async function getFacts<Tables>(db: Kysely<Tables>): Promise<Facts | undefined> {
  const { rows } = await sql<Facts>`SELECT id, "dataDirectory", moved FROM "schemaVersion"`.execute(db)
  return rows[0]
}

/** Identifies the rows on a server. */
export const serverDatabaseId = async <Tables>(db: Kysely<Tables>): Promise<string> =>
  (await getFacts(db))?.id ?? ""

/** Returns the ID of the data directory that has the files of these rows; null: none yet. */
export const getOwner = async <Tables>(db: Kysely<Tables>): Promise<string | null> =>
  (await getFacts(db))?.dataDirectory ?? null

/** Returns false if the rows belong to another data directory. */
export async function own<Tables>(db: Kysely<Tables>, dataDirectoryId: string): Promise<boolean> {
  await sql`UPDATE "schemaVersion" SET "dataDirectory" = ${dataDirectoryId} WHERE "dataDirectory" IS NULL`.execute(
    db,
  )
  return (await getOwner(db)) === dataDirectoryId
}

/** Whether a move of rows to this database is complete. */
export const isMoved = async <Tables>(db: Kysely<Tables>): Promise<boolean> =>
  (await getFacts(db))?.moved ?? false

/** With false, nothing can start on the database: rows are being moved here, or were moved away. */
export async function setMoved<Tables>(db: Kysely<Tables>, moved: boolean): Promise<void> {
  await sql`UPDATE "schemaVersion" SET moved = ${moved}`.execute(db)
}
