import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from "kysely"
import { Pool, types } from "pg"
import type { OpenDatabase } from "./database.ts"
import type { DatabaseSchema } from "./database-schema.ts"
import { migrate } from "./migrate.ts"

const statementTimeoutMs = 20_000
/** Timeout for an answer, in case the server that should end the statement has disappeared. */
const answerTimeoutMs = 25_000
/** How long a service that disappeared during a transaction keeps others waiting. */
const idleTimeoutMs = 30_000
const connectTimeoutMs = 10_000
const poolSize = 10
const keepAliveMs = 10_000
/** The driver's message after `answerTimeoutMs`; it has no error code. */
const unanswered = "Query read timeout"

/** Opens a PostgreSQL database. The server's own locks prevent concurrent migrations by two services. */
export async function openPostgres(url: string, lockTimeoutMs: number): Promise<OpenDatabase> {
  // Counts fit into a JavaScript number; the driver would return them as text.
  types.setTypeParser(types.builtins.INT8, Number)
  const pool = new Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: connectTimeoutMs,
    lock_timeout: lockTimeoutMs,
    statement_timeout: statementTimeoutMs,
    query_timeout: answerTimeoutMs,
    idle_in_transaction_session_timeout: idleTimeoutMs,
    // Routers drop idle connections.
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    application_name: "casella-auth",
  })
  pool.on("error", () => undefined) // a broken idle connection is replaced at its next use
  pool.on("connect", (client) => client.on("error", () => undefined)) // a connection in use reports the error at its next statement
  const db = new Kysely<DatabaseSchema>({
    dialect: new PostgresDialect({ pool: closeSilentConnections(pool) }),
  })
  try {
    await migrate(db, "postgres")
  } catch (error) {
    await db.destroy()
    throw error
  }
  return { db, type: "postgres", [Symbol.asyncDispose]: () => db.destroy() }
}

/** The driver would hand a connection that timed out to the next caller; this closes it instead. */
function closeSilentConnections(pool: Pool): PostgresPool {
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const client = await pool.connect()
      let isSilent = false
      const query = async (text: string, values: readonly unknown[]) => {
        try {
          return await client.query(text, [...values])
        } catch (error) {
          isSilent ||= error instanceof Error && error.message === unanswered
          throw error
        }
      }
      return {
        query: query as unknown as PostgresPoolClient["query"],
        release: (destroy = false) => client.release(destroy || isSilent),
      }
    },
  }
}
