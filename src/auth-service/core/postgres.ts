import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from "kysely"
import { Pool, types } from "pg"
import type { OpenDatabase } from "./database.ts"
import type { DatabaseSchema } from "./database-schema.ts"
import { migrate } from "./migrate.ts"

const statementTimeoutMs = 20_000
/** How long an answer is waited for: the server that ends the statement may be gone without a word. */
const answerTimeoutMs = 25_000
/** How long a service that vanished in the middle of a transaction keeps others waiting. */
const idleTimeoutMs = 30_000
const connectTimeoutMs = 10_000
const poolSize = 10
const keepAliveMs = 10_000
/** What the driver says after `answerTimeoutMs`; it has no codes. */
const unanswered = "Query read timeout"

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
    query_timeout: answerTimeoutMs,
    idle_in_transaction_session_timeout: idleTimeoutMs,
    // Routers forget connections that nothing is sent over.
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    application_name: "casella-auth",
  })
  pool.on("error", () => undefined) // an idle connection that broke is replaced at its next use
  pool.on("connect", (client) => client.on("error", () => undefined)) // one in use is told of at its next statement
  const db = new Kysely<DatabaseSchema>({ dialect: new PostgresDialect({ pool: withoutSilent(pool) }) })
  try {
    await migrate(db, "postgres")
  } catch (error) {
    await db.destroy()
    throw error
  }
  return { db, type: "postgres", [Symbol.asyncDispose]: () => db.destroy() }
}

/** The driver gives a connection that didn't answer in time to the next who asks; here it is closed instead. */
function withoutSilent(pool: Pool): PostgresPool {
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
