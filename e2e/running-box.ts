import { execFile, spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { promisify } from "node:util"
import { createClient } from "../src/shared/client/http-client.ts"
import { builtProgram } from "../src/shared/testing/built-program.ts"

const node = process.execPath
const cli = builtProgram("cli")
/** For `CASELLA_TEST_DATABASE=postgres`; loaded on demand, because it loads much of the box. */
const loadTestDatabase = () => import("../src/box/core/database/testing/test-database.ts")
const usesPostgres = process.env["CASELLA_TEST_DATABASE"] === "postgres"
const startLimitMs = 30_000
const stopLimitMs = 10_000
const maxLogCharacters = 4_000

export interface RunningBox extends AsyncDisposable {
  url: string
  dataDir: string
  /** An API key of the local owner. */
  key: string
  /** A new one-time link for the local owner, from the box itself, because starting a command for each would take most of a second. */
  signInLink(): Promise<string>
  /** Runs a command on its data directory, as a user would; returns its output. */
  run(...args: string[]): Promise<string>
  /** Kills the box immediately, like a crash. */
  kill(): Promise<void>
  /** Starts the box again at the same address with the same data. */
  restart(): Promise<void>
}

/** Starts the built box on a new data directory. */
export async function startBox(...flags: string[]): Promise<RunningBox> {
  const dataDir = mkdtempSync(join(tmpdir(), "casella-e2e-"))
  const databaseUrl = usesPostgres ? await (await loadTestDatabase()).testDatabaseUrl(dataDir) : null
  const env = { ...process.env, ...(databaseUrl !== null && { CASELLA_DATABASE_URL: databaseUrl }) }
  let log = ""
  let child: ChildProcess

  async function start(port: string): Promise<{ url: string; firstRunKey: string }> {
    const started = spawn(node, [cli, "--port", port, "--data", dataDir, ...flags], {
      stdio: ["ignore", "pipe", "pipe"],
      env,
    })
    child = started
    started.stderr.setEncoding("utf8").on("data", (text: string) => {
      log = (log + text).slice(-maxLogCharacters)
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
  const client = createClient({ baseUrl: url, headers: { "x-api-key": firstRunKey } })
  return {
    url,
    dataDir,
    key: firstRunKey,
    async signInLink() {
      const { user } = await client.account.me()
      return (await client.people.signInLinks({ params: { id: user.id } })).links.local
    },
    async run(...args) {
      return (await promisify(execFile)(node, [cli, ...args, "--data", dataDir], { env })).stdout.trim()
    },
    kill: () => end("SIGKILL"),
    async restart() {
      await start(new URL(url).port)
    },
    async [Symbol.asyncDispose]() {
      const ended = child.exitCode ?? child.signalCode
      if (ended !== null) throw new Error(`The box ended by itself (${ended}). Its log ends:\n${log}`)
      await end("SIGTERM")
      if (usesPostgres) await (await loadTestDatabase()).dropTestDatabase(dataDir)
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
