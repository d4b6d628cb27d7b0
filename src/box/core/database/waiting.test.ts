import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { processCounts } from "../process-counts.ts"
import { dropTestDatabase, openTestDatabase } from "./testing/test-database.ts"

// Catches a database that everyone waits for while the metrics show no waiting.
test("counts callers that wait for another transaction until it ends", async () => {
  const directory = await mkdtemp(join(tmpdir(), "casella-waiting-"))
  const path = join(directory, "casella.sqlite")
  await using stack = new AsyncDisposableStack()
  stack.defer(() => rm(directory, { recursive: true }))
  stack.defer(() => dropTestDatabase(path))
  const { db, waiting } = stack.use(await openTestDatabase(path))
  const before = processCounts.databaseWaitMs
  const [started, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const first = db.transaction().execute(async (trx) => {
    await trx.selectFrom("users").select("id").execute()
    started.resolve()
    await held.promise
  })
  await started.promise
  const second = db.transaction().execute((trx) => trx.selectFrom("users").select("id").execute())
  await expect.poll(waiting).toBe(1)
  held.resolve()
  await Promise.all([first, second])
  expect(waiting()).toBe(0)
  expect(processCounts.databaseWaitMs).toBeGreaterThan(before)
})
