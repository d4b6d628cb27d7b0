import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { afterEach, beforeEach, expect, test } from "vitest"
import { createClient } from "../shared/client/http-client.ts"
import { builtProgram } from "../shared/testing/built-program.ts"
import { waitFor } from "../shared/testing/wait-for.ts"

const cli = builtProgram("cli")
const hold = "\x13"
const release = "\x11"

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "casella-terminal-"))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

/** Runs Node in its own terminal, without a shell that would wait to report to the paused terminal that Node was killed. */
function runInTerminal(...args: string[]) {
  const command = `exec ${[process.execPath, ...args].map((arg) => `'${arg}'`).join(" ")}`
  return spawn("script", ["--quiet", "--return", "--command", command, "/dev/null"], {
    stdio: ["pipe", "pipe", "ignore"],
  })
}

/** Makes Node emit a warning on a signal. */
const warner = `data:text/javascript,${encodeURIComponent('process.on("SIGUSR2", () => process.emitWarning("A warning"))')}`

/** Starts a box in its own terminal and collects the terminal's output. */
async function startInTerminal(dataDir: string) {
  const terminal = runInTerminal("--import", warner, cli, "--port", "0", "--data", dataDir)
  const shown: string[] = []
  createInterface({ input: terminal.stdout }).on("line", (line) => shown.push(line))
  await expect.poll(() => shown.some((line) => line.includes('"ready"'))).toBe(true)
  const ready = JSON.parse(shown.find((line) => line.includes('"ready"')) ?? "") as Record<string, string>
  const client = createClient({
    baseUrl: ready["url"] ?? "",
    headers: { "x-api-key": ready["firstRunKey"] ?? "" },
  })
  return { terminal, shown, client, pid: Number(ready["pid"]) }
}

// Catches a box that stops answering, and can't be stopped, because someone pressed Ctrl+S in its terminal.
test("a paused terminal blocks neither requests nor shutdown", { tags: "script" }, async () => {
  const dataDir = join(directory, "data")
  const { terminal, shown, client, pid } = await startInTerminal(dataDir)
  const before = shown.length
  terminal.stdin.write(hold)
  let calls = 0
  // The terminal shows output until it has received the key. Each call is logged.
  await waitFor(async () => {
    const shownBefore = shown.length
    for (let count = 0; count < 20; count++, calls++) await client.privacy.clear()
    expect(shown.length).toBeLessThan(shownBefore + 20)
  })
  process.kill(pid, "SIGUSR2")
  await expect.poll(() => getLog(dataDir)).toContain("A warning")
  expect((await client.folders.list()).vectors).toEqual([])

  terminal.stdin.write(release)
  await expect.poll(() => shown.length).toBeGreaterThan(before + calls / 2)
  terminal.stdin.write(hold)
  await client.privacy.clear()
  const ended = once(terminal, "exit")
  process.kill(pid, "SIGTERM")
  await ended
})

// Catches a box that answers no one because it can't write to the terminal that it is ready.
test("a terminal that is paused from the start blocks no requests", { tags: "script" }, async () => {
  const dataDir = join(directory, "data")
  const terminal = runInTerminal(cli, "--port", "0", "--data", dataDir)
  terminal.stdin.write(hold)
  const where = () => readFile(join(dataDir, "box.json"), "utf8").catch(() => "")
  await expect.poll(where).not.toBe("")
  const { url, pid } = JSON.parse(await where()) as { url: string; pid: number }
  expect((await fetch(new URL("/api/openapi.json", url))).status).toBe(200)
  const ended = once(terminal, "exit")
  process.kill(pid, "SIGTERM")
  await ended
})

// Catches a slow shutdown that writes a message to a paused terminal and never ends.
test("a paused terminal doesn't block the exit after a last message", { tags: "script" }, async () => {
  const modules = ["core/logging/logger.ts", "core/process/stop-signals.ts"].map(
    (path) => new URL(path, import.meta.url).href,
  )
  const program = `
    const [{ writeOutput }, { endProcess }] = await Promise.all(${JSON.stringify(modules)}.map((url) => import(url)))
    process.stdin.once("data", () => {
      writeOutput(process.stderr, "It took too long.")
      endProcess(0, 100)
    })`
  const terminal = runInTerminal("--input-type=module", "-e", program)
  const ended = once(terminal, "exit")
  terminal.stdin.write(`${hold}\n`)
  const killed = 128 + 9
  expect(await ended).toEqual([killed, null])
})

// Catches a box that treats a closed terminal, to which it can no longer log, as an internal error.
test("a terminal that is closed stops the box", { tags: "script" }, async () => {
  const dataDir = join(directory, "data")
  const { terminal, pid } = await startInTerminal(dataDir)
  terminal.kill("SIGKILL")
  await expect.poll(() => isAlive(pid)).toBe(false)
  expect(await getLog(dataDir)).not.toContain('"level":"error"')
  const restarted = await startInTerminal(dataDir)
  expect(restarted.shown.join("")).not.toContain("The last run was interrupted")
  const ended = once(restarted.terminal, "exit")
  process.kill(restarted.pid, "SIGTERM")
  await ended
})

async function getLog(dataDir: string): Promise<string> {
  const names = await readdir(join(dataDir, "logs"))
  return (await Promise.all(names.map((name) => readFile(join(dataDir, "logs", name), "utf8")))).join("")
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
