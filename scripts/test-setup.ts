import { useTestServer } from "../src/box/core/database/testing/test-database.ts"
import { startTestPostgres } from "../src/shared/testing/test-postgres.ts"
// @ts-expect-error -- plain JavaScript without types: it runs before TypeScript is installed
import { ensureBuilt } from "./setup.mjs"

/**
 * Builds the programs that tests start, where a source is newer. With `CASELLA_TEST_DATABASE=postgres`, starts a PostgreSQL server on
 * which tests keep their rows, and which ends with them.
 */
export default async function setUp(): Promise<(() => Promise<void>) | undefined> {
  ;(ensureBuilt as () => void)()
  if (process.env["CASELLA_TEST_DATABASE"] !== "postgres") return undefined
  const server = startTestPostgres()
  await useTestServer(await server.createDatabase())
  return async () => server[Symbol.asyncDispose]()
}
