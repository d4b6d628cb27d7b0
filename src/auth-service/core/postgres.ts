import { Kysely, PostgresDialect } from "kysely"
import { Pool, types } from "pg"
import type { OpenDatabase } from "./database.ts"
import type { DatabaseSchema } from "./database-schema.ts"
import { migrate } from "./migrate.ts"

const statementTimeoutMs = 20_000
const connectTimeoutMs = 10_000
const poolSize = 10

/** Opens a PostgreSQL database. The server's own locks keep two services from migrating at once. */
export async function openPostgres(url: string, lockTimeoutMs: number): Promise<OpenDatabase> {
  // Counts fit a JavaScript number; the driver answers them as text otherwise.
  types.setTypeParser(types.builtins.INT8, Number)
  const pool = new Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: connectTimeoutMs,
    lock_timeout: lockTimeoutMs,
    statement_timeout: statementTimeoutMs,
    application_name: "casella-auth",
  })
  pool.on("error", () => undefined) // an idle connection that broke is replaced at its next use
  pool.on("connect", (client) => client.on("error", () => undefined)) // one in use is told of at its next statement
  const db = new Kysely<DatabaseSchema>({ dialect: new PostgresDialect({ pool }) })
  try {
    await migrate(db, "postgres")
  } catch (error) {
    await db.destroy()
    throw error
  }
  return { db, type: "postgres", [Symbol.asyncDispose]: () => db.destroy() }
}
