import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath, pathToFileURL } from "node:url"
import { expect, test } from "vitest"
import bounds from "../../bench/bounds.json" with { type: "json" }

const cli = fileURLToPath(new URL("../../out/main/cli.js", import.meta.url))
const counter = pathToFileURL(join(import.meta.dirname, "testing/count-loads.mjs")).href

/** The files that the built box has loaded by the time it says that it is ready. */
async function loadedAtStart(directory: string): Promise<string[]> {
  const list = join(directory, "loads")
  const args = ["--import", counter, cli, "--port", "0", "--data", join(directory, "data")]
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, COUNT_LOADS: list },
  })
  try {
    await once(createInterface({ input: child.stdout }), "line")
    const loads = readFileSync(list, "utf8").trim().split("\n")
    const own = `${child.pid} `
    return loads.filter((line) => line.startsWith(own)).map((line) => line.slice(own.length))
  } finally {
    const ended = once(child, "exit")
    child.kill()
    await ended
  }
}

// Would catch: an import that has every start load what only some boxes or requests need, such as a client for other machines.
test("a start loads no more than it needs", { tags: "build" }, async () => {
  const directory = mkdtempSync(join(tmpdir(), "casella-loads-"))
  try {
    const loaded = [...new Set(await loadedAtStart(directory))]
    const kilobytes = loaded.reduce((sum, path) => sum + statSync(path).size, 0) / 1000
    expect(loaded.length, loaded.join("\n")).toBeLessThanOrEqual(bounds.start.files)
    expect(kilobytes).toBeLessThanOrEqual(bounds.start.kilobytes)
    expect(loaded.filter((path) => /undici|modelcontextprotocol|\/tar\//.test(path))).toEqual([])
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})
