import { chmod, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { useTestServer } from "../src/box/core/database/testing/test-database.ts"
import { startTestPostgres } from "../src/shared/testing/test-postgres.ts"
// @ts-expect-error -- plain JavaScript without types: it runs before TypeScript is installed
import { ensureBuilt } from "./setup.mjs"

/**
 * Builds the programs that tests start, if a source is newer. Creates a temporary directory for the tests, and removes it afterwards with
 * everything that tests and killed programs left there. With `CASELLA_TEST_DATABASE=postgres`, starts a PostgreSQL server for the tests'
 * rows and stops it at the end.
 */
export default async function setUp(): Promise<() => Promise<void>> {
  ;(ensureBuilt as () => void)()
  const temporary = await mkdtemp(join(tmpdir(), "casella-tests-"))
  await chmod(temporary, 0o1777) // some tests start programs as another user
  for (const name of ["TMPDIR", "TMP", "TEMP"]) process.env[name] = temporary
  const server = process.env["CASELLA_TEST_DATABASE"] === "postgres" ? startTestPostgres() : undefined
  if (server) await useTestServer(await server.createDatabase())
  return async () => {
    await server?.[Symbol.asyncDispose]()
    await rm(temporary, { recursive: true, force: true, maxRetries: 3 })
  }
}
