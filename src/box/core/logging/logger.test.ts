import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { openLogger } from "./logger.ts"

// Would catch: a box that is told to stop and ends with 7, because an error that nobody waited for came after its log was closed.
test("a closed log takes no further line, and doesn't throw", async () => {
  const directory = await mkdtemp(join(tmpdir(), "casella-log-"))
  const logger = await openLogger(directory, { quiet: true })
  await logger[Symbol.asyncDispose]()
  expect(() => logger.error({}, "too late")).not.toThrow()
  await rm(directory, { recursive: true })
})
