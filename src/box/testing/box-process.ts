import { spawn, type ChildProcess, type ChildProcessByStdio } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { Readable, Writable } from "node:stream"
import { Client } from "pg"
import { builtProgram } from "../../shared/testing/built-program.ts"
import { startTestObjectStore, type TestObjectStore } from "../../shared/testing/test-object-store.ts"
import { startTestPostgres, type TestPostgres } from "../../shared/testing/test-postgres.ts"

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
  /** Sends the signal and returns the exit code, or null if the signal killed the process. Unless it was killed, all output was read. */
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
    const outcome = await Promise.race([once(lines, "line"), once(child, "close")])
    const ready = typeof outcome[0] === "string" ? (JSON.parse(outcome[0]) as Record<string, string>) : null
    if (ready?.["url"] === undefined) throw new Error(`The box didn't start: ${log}`)
    return {
      url: ready["url"],
      firstRunKey: ready["firstRunKey"],
      child,
      stdout,
      stderr,
      async stop(signal = "SIGTERM") {
        const [exited, closed] = [once(child, "exit"), once(child, "close")]
        child.kill(signal)
        const [code] = (await exited) as [number | null]
        if (code !== null) await closed // children of a killed box outlive it for a moment, and have the same error output
        return code
      },
    }
  }
}

interface CommandOutcome {
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

/**
 * Runs this JavaScript module in every Node process that `start` starts, before any other code. Use it to inject faults at a given point.
 */
export async function withScript<T>(script: string, start: () => Promise<T>): Promise<T> {
  const before = process.env["NODE_OPTIONS"]
  process.env["NODE_OPTIONS"] = `--import data:text/javascript,${encodeURIComponent(script)}`
  try {
    return await start()
  } finally {
    if (before === undefined) delete process.env["NODE_OPTIONS"]
    else process.env["NODE_OPTIONS"] = before
  }
}

export const startFaultyBox = (script: string, dataDir: string, ...flags: string[]): Promise<BoxProcess> =>
  withScript(script, () => startBoxProcess(dataDir, ...flags))

/**
 * Kills the box, like `kill -9`, before or after its nth call of a `node:fs/promises` function with an argument that ends with or equals
 * this.
 */
export const killsItself = (
  when: "before" | "after",
  name: string,
  argument: string | RegExp,
  nth = 1,
): string => `
import fs from "node:fs/promises"
import { syncBuiltinESMExports } from "node:module"
const real = fs[${JSON.stringify(name)}]
const end = () => process.kill(process.pid, "SIGKILL")
const isMeantBy = (arg) => ${typeof argument === "string" ? `arg.endsWith(${JSON.stringify(argument)})` : `${String(argument)}.test(arg)`}
let calls = 0
fs[${JSON.stringify(name)}] = async (...args) => {
  const isMeant =
    args.some((arg) => typeof arg === "string" && isMeantBy(arg)) && ++calls === ${nth}
  if (isMeant && ${JSON.stringify(when)} === "before") end()
  const result = await real(...args)
  if (isMeant) end()
  return result
}
syncBuiltinESMExports()
`

/** Servers that share a PostgreSQL database, an object store and the secrets key. One is active, the others are standby servers. */
export interface TeamBoxes extends AsyncDisposable {
  store: TestObjectStore
  server: TestPostgres
  databaseUrl: string
  /** Starts a box with a data directory of this name. */
  begin(name: string, changes?: NodeJS.ProcessEnv, flags?: string[]): StartingBoxProcess
  /** Runs a statement and returns the rows. */
  asked(statement: string): Promise<Record<string, unknown>[]>
}

const waitsLine = "This server is on standby"

export async function startTeamBoxes(): Promise<TeamBoxes> {
  await using stack = new AsyncDisposableStack()
  const directory = await mkdtemp(join(tmpdir(), "casella-team-"))
  stack.defer(() => rm(directory, { recursive: true, force: true }))
  const store = stack.use(await startTestObjectStore())
  const server = stack.use(startTestPostgres())
  const url = await server.createDatabase()
  const env = {
    CASELLA_DATABASE_URL: url,
    ...store.variables("team"),
    CASELLA_SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
  }
  const started: StartingBoxProcess[] = []
  stack.defer(async () => {
    for (const { child } of started) {
      child.kill("SIGKILL")
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit")
    }
  })
  const resources = stack.move()
  return {
    store,
    server,
    databaseUrl: url,
    begin(name, changes = {}, flags = []) {
      const box = spawnBoxProcess(join(directory, name), flags, {
        env: { ...env, ...changes },
      })
      started.push(box)
      return box
    },
    async asked(statement) {
      const client = new Client({ connectionString: url })
      await client.connect()
      try {
        return (await client.query<Record<string, unknown>>(statement)).rows
      } finally {
        await client.end()
      }
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** Waits until a standby server listens, and returns its URL. */
export async function waitUntilStandby({ child, stderr }: StartingBoxProcess): Promise<{ url: string }> {
  const signal = AbortSignal.timeout(60_000)
  for (;;) {
    const line = stderr()
      .split("\n")
      .slice(0, -1) // the last line may be incomplete
      .findLast((each) => each.includes(waitsLine))
    if (line !== undefined) return JSON.parse(line) as { url: string }
    if (!child.stderr) throw new Error("Nothing reads its error output.")
    await once(child.stderr, "data", { signal })
  }
}
