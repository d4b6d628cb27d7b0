import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { promisify } from "node:util"

const root = join(import.meta.dirname, "..")
const node = process.execPath
const cli = join(root, "out/main/auth.js")
const startLimitMs = 30_000
const stopLimitMs = 10_000

export interface RunningAuthService extends AsyncDisposable {
  url: string
  /** Runs a subcommand on its data directory. */
  run(...args: string[]): Promise<string>
  /** Posts JSON and returns the parsed answer. */
  post(path: string, body: object, bearer?: string): Promise<Record<string, unknown>>
}

/** Starts the built auth service on a new data directory. */
export async function startAuthService(): Promise<RunningAuthService> {
  const dataDir = mkdtempSync(join(tmpdir(), "casella-auth-e2e-"))
  const child = spawn(node, [cli, "--port", "0", "--data", dataDir], { stdio: ["ignore", "pipe", "ignore"] })
  const [line] = (await once(createInterface({ input: child.stdout }), "line", {
    signal: AbortSignal.timeout(startLimitMs),
  })) as [string]
  const { url } = JSON.parse(line) as { url: string }
  return {
    url,
    async run(...args) {
      return (await promisify(execFile)(node, [cli, ...args, "--data", dataDir])).stdout
    },
    async post(path, body, bearer) {
      const headers = {
        "content-type": "application/json",
        ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
      }
      const answer = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) })
      if (!answer.ok) throw new Error(`${path} answered ${String(answer.status)}: ${await answer.text()}`)
      return (await answer.json()) as Record<string, unknown>
    },
    async [Symbol.asyncDispose]() {
      const gone = once(child, "exit", { signal: AbortSignal.timeout(stopLimitMs) })
      child.kill("SIGTERM")
      await gone.catch(() => child.kill("SIGKILL"))
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
