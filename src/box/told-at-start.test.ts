import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { ageClockPath } from "./core/data-layout.ts"
import { startBoxProcess } from "./testing/box-process.ts"

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "casella-told-"))
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

/** What a start and a stop write to the log. */
async function run(end: NodeJS.Signals): Promise<string> {
  const box = await startBoxProcess(dataDir)
  await box.stop(end)
  return box.stderr()
}

// Would catch: an owner who can't find out why what was under way is gone, or why new things are listed as older ones.
test("a start says that the last run was cut off, and that the clock is behind", async () => {
  expect(await run("SIGKILL")).not.toContain("cut off")
  const afterKill = await run("SIGTERM")
  expect(afterKill).toContain("The last run was cut off")
  expect(afterKill).not.toContain("clock is behind")
  const ahead = Date.now() + 3_600_000
  await writeFile(ageClockPath(dataDir), JSON.stringify({ now: ahead, caughtUp: ahead, system: ahead }))
  const afterStop = await run("SIGTERM")
  expect(afterStop).not.toContain("cut off")
  expect(afterStop).toContain("clock is behind the last run's")
})
