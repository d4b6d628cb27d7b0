import { fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

/**
 * A child process that talks in structured-clone messages. Everything heavy or hostile runs in one: the model
 * engine and the document parsers. Under Node it is a forked process, under Electron a utility process, so the
 * same code serves both.
 */
export interface Child {
  readonly pid: number | undefined
  /** Sends one message; ignored when the child is gone. */
  send(message: unknown): void
  onMessage(listener: (message: unknown) => void): void
  /** Called once, with the exit code, or the signal's name when one ended the child. */
  onExit(listener: (reason: number | string | null) => void): void
  kill(): void
  /** Settles when the process is gone. */
  readonly exited: Promise<void>
}

export interface ChildOptions {
  /** Entry module: a name from `childEntries`. */
  entry: ChildEntry
  /** The whole environment of the child; nothing is inherited except what is named here. */
  env: Record<string, string>
  execArgv?: string[]
  args?: string[]
  /** Called with what the child prints on its error output, in pieces; without it, that goes to this process's own. */
  onOutput?: (text: string) => void
}

export type SpawnChild = (options: ChildOptions) => Child

/** Source files that run as processes of their own. The bundle has one file of the same name for each. */
export const childEntries = {
  engine: "../engines/llama/engine-process",
  parser: "../parsers/parser-process",
  calculator: "../tools/calculate/calculator-process",
  python: "../tools/code-interpreter/python-process",
} as const

export type ChildEntry = keyof typeof childEntries

/** Path of a child's entry module: the TypeScript source in development and tests, the bundled file otherwise. */
export function childEntryPath(entry: ChildEntry): string {
  const fromSource = import.meta.url.endsWith(".ts")
  return fileURLToPath(new URL(fromSource ? `${childEntries[entry]}.ts` : `./${entry}.js`, import.meta.url))
}

export const spawnNodeChild: SpawnChild = ({ entry, env, execArgv = [], args = [], onOutput }) => {
  const child = fork(childEntryPath(entry), args, {
    env,
    execArgv,
    serialization: "advanced",
    stdio: ["ignore", "ignore", onOutput ? "pipe" : "inherit", "ipc"],
  })
  if (onOutput) child.stderr?.setEncoding("utf8").on("data", onOutput)
  const exited = once(child, "exit").then(
    () => undefined,
    () => undefined, // 'error' before 'exit': it never started, so it is gone
  )
  return {
    pid: child.pid,
    send: (message) => {
      if (child.connected) child.send(message as object, () => undefined)
    },
    onMessage: (listener) => child.on("message", listener),
    onExit: (listener) => {
      child.once("exit", (code, signal) => listener(signal ?? code))
      child.once("error", () => listener(null))
    },
    kill: () => child.kill("SIGKILL"),
    exited,
  }
}
