import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { once } from "node:events"
import { afterEach, beforeEach, expect, it } from "vitest"
import { type BoxProcess, startFaultyBox } from "./testing/box-process.ts"

/** Simulates faults in callbacks, triggered by signals. */
const faults = {
  SIGUSR2: `Promise.reject(new Error("nobody waits"))`,
  SIGWINCH: `setTimeout(() => { throw Object.assign(new Error("no room"), { code: "ENOSPC", syscall: "write" }) })`,
  SIGIO: `setTimeout(() => { throw new TypeError("a fault of the box's own") })`,
}
const listeners = Object.entries(faults).map(
  ([signal, fault]) => `process.on("${signal}", () => { ${fault} });`,
)

let dataDir: string
let box: BoxProcess
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "casella-uncaught-"))
  box = await startFaultyBox(listeners.join(""), dataDir)
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

const log = async () => {
  const text = await readFile(join(dataDir, "logs", "box.1.log"), "utf8")
  return text.split("\n").filter((line) => line.includes("this error"))
}

// Catches an unhandled rejection, or a full disk in a callback, that ends the box. Also catches a box that ends without a log entry.
it(
  "logs and counts uncaught errors; only a bug in the box ends it, with its own exit code",
  { tags: "unix" },
  async () => {
    box.child.kill("SIGUSR2")
    await expect.poll(log).toHaveLength(1)
    box.child.kill("SIGWINCH")
    await expect.poll(log).toHaveLength(2)
    expect((await fetch(`${box.url}/api/health`)).status).toBe(200)

    const exited = once(box.child, "exit")
    box.child.kill("SIGIO")
    expect(await exited).toEqual([70, null])
    const lines = (await log()).map((line) => JSON.parse(line) as { count: number; msg: string })
    expect(lines.map(({ count }) => count)).toEqual([1, 2, 3])
    expect(lines.at(-1)?.msg).toContain("exit code 70")
  },
)
