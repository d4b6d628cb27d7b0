import { spawn, type ChildProcess, type ChildProcessByStdio } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import type { Readable, Writable } from "node:stream"
import { builtProgram } from "../../shared/testing/built-program.ts"

const cli = builtProgram("cli")

/** A box in its own process, started from the command line as a user would. */
export interface BoxProcess {
  url: string
  firstRunKey: string | undefined
  child: ChildProcess
  /** Every line written to stdout. */
  stdout: string[]
  /** Returns everything written to stderr so far. */
  stderr(): string
  /** Sends the signal and returns the exit code, or null if the signal killed the process. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

export const startBoxProcess = (dataDir: string, ...flags: string[]) => spawnBoxProcess(dataDir, flags).ready

/** Starts a box as another user of the computer. Only root may do this. */
export const startBoxProcessAs = (uid: number, dataDir: string) =>
  spawnBoxProcess(dataDir, [], { uid, gid: uid }).ready

/** A box that may have to wait before it is ready. */
export interface StartingBoxProcess extends Pick<BoxProcess, "child" | "stderr"> {
  ready: Promise<BoxProcess>
}

/** @param given the user it runs as, and extra environment variables */
export function spawnBoxProcess(
  dataDir: string,
  flags: string[],
  { env, ...owner }: { uid?: number; gid?: number; env?: NodeJS.ProcessEnv } = {},
): StartingBoxProcess {
  const child = spawn(process.execPath, [cli, "--port", "0", "--data", dataDir, ...flags], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
    ...owner,
  })
  const stdout: string[] = []
  let log = ""
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (log += chunk))
  const lines = createInterface({ input: child.stdout })
  lines.on("line", (line) => stdout.push(line))
  const stderr = () => log
  const ready = whenReady()
  ready.catch(() => undefined) // it may exit while it waits
  return { child, stderr, ready }

  async function whenReady(): Promise<BoxProcess> {
    const outcome = await Promise.race([once(lines, "line"), once(child, "exit")])
    const ready = typeof outcome[0] === "string" ? (JSON.parse(outcome[0]) as Record<string, string>) : null
    if (ready?.["url"] === undefined) throw new Error(`The box didn't start: ${log}`)
    return {
      url: ready["url"],
      firstRunKey: ready["firstRunKey"],
      child,
      stdout,
      stderr,
      async stop(signal = "SIGTERM") {
        const exited = once(child, "exit")
        child.kill(signal)
        const [code] = (await exited) as [number | null]
        return code
      },
    }
  }
}

export interface CommandOutcome {
  code: number | null
  stdout: string
  stderr: string
}

/** Starts a subcommand of the box's command line. */
export const startCommand = (...args: string[]) => startCommandWith({}, ...args)

/** Starts a subcommand with extra environment variables. */
export const startCommandWith = (env: NodeJS.ProcessEnv, ...args: string[]) =>
  spawn(process.execPath, [cli, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  })

/** Runs a subcommand with text piped to stdin and extra environment variables. */
export function runCommandWith(given: { input?: string; env?: NodeJS.ProcessEnv }, ...args: string[]) {
  const env = { ...process.env, ...given.env }
  const child = spawn(process.execPath, [cli, ...args], { stdio: "pipe", env })
  child.stdin.on("error", () => undefined).end(given.input) // a command may ignore its input
  return getOutcome(child)
}

/** Runs a subcommand of the box's command line until it exits. */
export const runCommand = (...args: string[]) => getOutcome(startCommand(...args))

/** Runs a subcommand as another user of the computer. Only root may do this. */
export const runCommandAs = (uid: number, ...args: string[]) =>
  getOutcome(spawn(process.execPath, [cli, ...args], { stdio: ["ignore", "pipe", "pipe"], uid, gid: uid }))

async function getOutcome(
  child: ChildProcessByStdio<Writable | null, Readable, Readable>,
): Promise<CommandOutcome> {
  let [stdout, stderr] = ["", ""]
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (stdout += chunk))
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk))
  const [code] = (await once(child, "close")) as [number | null]
  return { code, stdout, stderr }
}
