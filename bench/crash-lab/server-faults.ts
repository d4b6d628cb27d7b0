import { Client } from "pg"
import type { TestPostgres } from "../../src/shared/testing/test-postgres.ts"
import { endsBy, type Fault } from "./fault.ts"

/** The database server for a box in the lab; null if its rows are in a file. */
export const serverUrl = (): string | null => process.env["CASELLA_DATABASE_URL"] ?? null

/** Runs a query for the lab and returns its rows. */
export async function askServer<Row>(url: string, query: string): Promise<Row[]> {
  const client = new Client({ connectionString: url, application_name: "crash lab" })
  await client.connect()
  try {
    return (await client.query(query)).rows as Row[]
  } finally {
    await client.end()
  }
}

/** Faults that affect a box with its rows on a server, or the server itself. */
export const serverFaults = (server: TestPostgres): readonly Fault[] => [
  { name: "kill -9, rows on a server", underLoad: endsBy("SIGKILL") },
  { name: "SIGTERM, rows on a server", underLoad: endsBy("SIGTERM") },
  {
    name: "connections to the server cut",
    async underLoad({ random, afterWrites, afterTries, strikes }) {
      await afterWrites(random.below(20))
      void strikes()
      for (let cuts = 0; cuts < 5; cuts++) {
        await cutConnections()
        await afterTries(random.below(6))
      }
      await afterWrites(10)
      return { end: "SIGTERM" }
    },
  },
  {
    name: "the server crashes, and starts again",
    async underLoad({ random, afterWrites, strikes }) {
      await afterWrites(random.below(20))
      void strikes()
      server.crash()
      await afterWrites(10)
      return { end: "SIGTERM" }
    },
  },
  {
    name: "the server crashes, and kill -9",
    async underLoad({ random, afterWrites, afterTries }) {
      await afterWrites(random.below(20))
      server.crash()
      await afterTries(random.below(6))
      return { end: "SIGKILL" }
    },
  },
]

async function cutConnections(): Promise<void> {
  const url = serverUrl()
  if (url === null) throw new Error("The rows are in a file.")
  await askServer(
    url,
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'casella' AND datname = current_database()",
  )
}
