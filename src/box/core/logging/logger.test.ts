import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { openLogger } from "./logger.ts"

// Catches a stopping box that exits with 7 because an unhandled error occurred after its log was closed.
test("ignores further lines after the log is closed, and doesn't throw", async () => {
  const directory = await mkdtemp(join(tmpdir(), "casella-log-"))
  const logger = await openLogger(directory, { quiet: true })
  await logger[Symbol.asyncDispose]()
  expect(() => logger.error({}, "too late")).not.toThrow()
  await rm(directory, { recursive: true })
})
