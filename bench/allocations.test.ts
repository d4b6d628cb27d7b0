import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, test } from "vitest"
import bounds from "./bounds.json" with { type: "json" }

// Catches an answer in which each token copies the previous text, or is parsed, checked and written more than once.
test("an event of an answer allocates little, however long the answer is", async () => {
  const program = join(import.meta.dirname, "event-allocations.ts")
  const { stdout } = await promisify(execFile)(process.execPath, [program], { timeout: 110_000 })
  const perEvent = Number(stdout.trim().split("\n").at(-1))
  expect(perEvent).toBeGreaterThan(100)
  expect(perEvent).toBeLessThanOrEqual(bounds.events.bytesEach)
})
