import { fork, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { z } from "zod"
import { boundChannel } from "./child-channel.ts"
import { systemWall, systemWallOfGraphics, type SystemWall } from "./walls/system-walls.ts"

/**
 * A child process that talks in structured-clone messages. Everything heavy or hostile runs in one: the model
 * engine and the document parsers. Under Node it is a forked process, under Electron a utility process, so the
 * same code serves both.
 */
export interface Child {
  readonly pid: number | undefined
  /** Sends one message; ignored when the child is gone. */
  send(message: unknown): void
  /** What a child says counts only in this shape: it may have been taken over. Anything else ends it. */
  onMessage<Message>(shape: z.ZodType<Message>, listener: (message: Message) => void): void
  /** Called at each beat of its heart: it was given time to run (`heartbeat.ts`). */
  onBeat(listener: () => void): void
  /** Called once, with why it ended. */
  onExit(listener: (reason: ExitReason) => void): void
  /** Ends it at once; `why` is what `onExit` is told. */
  kill(why?: string): void
  /** Settles when the process is gone. */
  readonly exited: Promise<void>
}

/**
 * The exit code, or the signal's name when one ended the child that nobody of ours asked for; what its owner gave to
 * `kill`; `malformed` when what it said ended it; null when it never started.
 */
export type ExitReason = number | string | null

export interface ChildOptions {
  /** A name from `childEntries`. */
  entry: ChildEntry
  /** The whole environment of the child; nothing is inherited except what is named here. */
  env: Record<string, string>
  execArgv?: string[]
  args?: string[]
  /** Called with what the child prints on its error output, in pieces; without it, that goes to this process's own. */
  onOutput?: (text: string) => void
}

export type SpawnChild = (options: ChildOptions) => Child

/** Programs that run as processes of their own. electron.vite.config.ts names their sources. */
export const childEntries = [
  "engine",
  "parser",
  "calculator",
  "python",
  "database-checker",
  "database-converter",
  "table-maker",
  "table-query",
] as const

export type ChildEntry = (typeof childEntries)[number]

const megabyte = 2 ** 20

/** The largest message of each, in bytes: pictures of pages, files of a program, vectors of 16 texts. */
const mostBytes: Record<ChildEntry, number> = {
  engine: 16 * megabyte,
  parser: 80 * megabyte,
  calculator: 8 * megabyte,
  python: 16 * megabyte,
  "database-checker": 8 * megabyte,
  "database-converter": megabyte,
  "table-maker": 16 * megabyte,
  "table-query": 16 * megabyte,
}

/** Directory of the built programs. What runs from source, such as a test, starts those too: in half the processor time of their sources. */
export const programsDirectory = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "../../../../out/main/" : "./", import.meta.url),
)

export const childPath = (entry: ChildEntry): string => join(programsDirectory, `${entry}.js`)

/** Starts children as forked processes, behind the wall that the system has. */
export const spawnNodeChild: SpawnChild = (options) =>
  forkChild(options, options.entry === "engine" ? systemWallOfGraphics() : systemWall())

/** A process that ends at once can't wait for its children, and one that is stopped doesn't notice that its parent is gone. */
const running = new Set<ChildProcess>()
process.on("exit", () => running.forEach((child) => child.kill("SIGKILL")))

/** The same behind a given wall: tests try each alone. */
export function forkChild(
  { entry, env, execArgv = [], args = [], onOutput }: ChildOptions,
  wall: SystemWall,
): Child {
  const child = fork(childPath(entry), args, {
    env,
    ...(wall.stands
      ? { execPath: wall.program, execArgv: [...wall.args, process.execPath, ...execArgv] }
      : { execArgv }),
    serialization: "advanced",
    stdio: ["ignore", "pipe", onOutput ? "pipe" : "inherit", "ipc"],
  })
  running.add(child)
  if (onOutput) child.stderr?.setEncoding("utf8").on("data", onOutput)
  const exited = once(child, "exit").then(
    () => undefined,
    () => undefined, // 'error' before 'exit': it never started, so it is gone
  )
  void exited.then(() => running.delete(child))
  let killed: string | undefined
  const kill = (why = unwanted): void => {
    killed ??= why
    child.kill("SIGKILL")
  }
  const end = () => kill(malformed)
  boundChannel(child, mostBytes[entry], end)
  return {
    pid: child.pid,
    send: (message) => {
      if (child.connected) child.send(message as object, () => undefined)
    },
    onMessage: (shape, listener) => child.on("message", inShape(shape, listener, end)),
    onBeat: (listener) => child.stdout?.on("data", listener),
    onExit: (listener) => {
      child.once("exit", (code, signal) => listener(killed ?? signal ?? code))
      child.once("error", () => listener(null))
    },
    kill,
    exited,
  }
}

/** Why a child was ended that said what it mustn't. */
export const malformed = "malformed message"
/** Why a child was ended that was given work and no longer runs: somebody stopped it, or it hangs. */
export const frozen = "it had stopped answering"
/** Why a child was ended whose owner gives no other reason. */
export const unwanted = "it wasn't needed any more"

const deadly = new Set<ExitReason>(["SIGKILL", "SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT", frozen])

/** Whether nothing in the child ended it, but the system that is short of memory, or a person. The same work may succeed. */
export const isFromOutside = (reason: ExitReason): boolean => deadly.has(reason)

/** Hears what has the shape; calls `end` at anything else. */
export function inShape<Message>(
  shape: z.ZodType<Message>,
  listener: (message: Message) => void,
  end: () => void,
): (message: unknown) => void {
  return (message) => {
    const said = shape.safeParse(message)
    if (said.success) listener(said.data)
    else end()
  }
}
