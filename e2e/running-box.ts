import { execFile, spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { promisify } from "node:util"

const root = join(import.meta.dirname, "..")
const node = join(root, "node_modules/.bin/node")
const cli = join(root, "out/main/cli.js")
const startLimitMs = 30_000
const stopLimitMs = 10_000
const keptLogCharacters = 4_000

export interface RunningBox extends AsyncDisposable {
  url: string
  /** An API key of the local owner. */
  key: string
  /** Prints a fresh one-time link, as a person would. */
  signInLink(): Promise<string>
  /** Ends the box at once, as a crash would. */
  kill(): Promise<void>
  /** Starts it again at the same address, on the same data. */
  startAgain(): Promise<void>
}

/** Starts the built box on a data directory of its own. */
export async function startBox(...flags: string[]): Promise<RunningBox> {
  const dataDir = mkdtempSync(join(tmpdir(), "casella-e2e-"))
  let log = ""
  let child: ChildProcess

  async function start(port: string): Promise<{ url: string; firstRunKey: string }> {
    const started = spawn(node, [cli, "--port", port, "--data", dataDir, ...flags], {
      stdio: ["ignore", "pipe", "pipe"],
    })
    child = started
    started.stderr.setEncoding("utf8").on("data", (text: string) => {
      log = (log + text).slice(-keptLogCharacters)
    })
    const [line] = (await once(createInterface({ input: started.stdout }), "line", {
      signal: AbortSignal.timeout(startLimitMs),
    })) as [string]
    return JSON.parse(line) as { url: string; firstRunKey: string }
  }

  async function end(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    const gone = once(child, "exit", { signal: AbortSignal.timeout(stopLimitMs) })
    child.kill(signal)
    await gone.catch(() => child.kill("SIGKILL"))
  }

  const { url, firstRunKey } = await start("0")
  return {
    url,
    key: firstRunKey,
    async signInLink() {
      const { stdout } = await promisify(execFile)(node, [cli, "signin", "--data", dataDir])
      return stdout.trim()
    },
    kill: () => end("SIGKILL"),
    async startAgain() {
      await start(new URL(url).port)
    },
    async [Symbol.asyncDispose]() {
      const ended = child.exitCode ?? child.signalCode
      if (ended !== null) throw new Error(`The box ended by itself (${ended}). Its log ends:\n${log}`)
      await end("SIGTERM")
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
