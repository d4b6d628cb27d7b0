import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath, pathToFileURL } from "node:url"
import { expect, test } from "vitest"
import { runCommand } from "./testing/box-process.ts"
import { connectApp } from "./testing/clients.ts"

const cli = fileURLToPath(new URL("../../out/main/cli.js", import.meta.url))
const lister = pathToFileURL(join(import.meta.dirname, "testing/list-timers.mjs")).href
const minuteMs = 60_000
const pingMs = 30_000
/** Twice the time in which a box usually comes to rest. */
const restMs = 80_000

// Catches a component that polls every second and so keeps an idle computer's processor awake, and a box that doesn't disconnect a client
// when a command revokes its key.
test(
  "an idle box comes to rest, and reacts when a command revokes a key",
  { tags: "build", timeout: 3 * restMs },
  async () => {
    const directory = mkdtempSync(join(tmpdir(), "casella-idle-"))
    const [list, dataDir] = [join(directory, "timers"), join(directory, "data")]
    const timersWithinAMinute = () =>
      (JSON.parse(readFileSync(list, "utf8")) as number[]).filter((ms) => ms < minuteMs)
    const child = spawn(process.execPath, ["--import", lister, cli, "--port", "0", "--data", dataDir], {
      stdio: ["ignore", "pipe", "ignore"],
      env: { ...process.env, LIST_TIMERS: list },
    })
    try {
      const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string]
      const { url, firstRunKey } = JSON.parse(line) as { url: string; firstRunKey: string }
      const { socket } = await connectApp(url, firstRunKey)
      await expect.poll(timersWithinAMinute, { timeout: restMs }).toEqual([pingMs])
      const closed = once(socket, "close")
      const { stdout } = await runCommand("keys", "list", "--data", dataDir)
      await runCommand("keys", "revoke", stdout.split("\t")[0] ?? "", "--data", dataDir)
      expect((await closed)[0]).toBe(1008)
      await expect.poll(timersWithinAMinute, { timeout: restMs }).toEqual([])
    } finally {
      const ended = once(child, "exit")
      child.kill()
      await ended
      rmSync(directory, { recursive: true, force: true })
    }
  },
)
