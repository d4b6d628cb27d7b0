import { useTestServer } from "../src/box/core/database/testing/test-database.ts"
import { startTestPostgres } from "../src/shared/testing/test-postgres.ts"

/** With `CASELLA_TEST_DATABASE=postgres` tests keep their rows on a PostgreSQL server, which goes with them. */
export default async function startServer(): Promise<(() => Promise<void>) | undefined> {
  if (process.env["CASELLA_TEST_DATABASE"] !== "postgres") return undefined
  const server = startTestPostgres()
  await useTestServer(await server.createDatabase())
  return async () => server[Symbol.asyncDispose]()
}
