import { spawn, type ChildProcessByStdio } from "node:child_process"
import { once } from "node:events"
import { homedir } from "node:os"
import type { Readable, Writable } from "node:stream"
import {
  ReadBuffer,
  serializeMessage,
  type JSONRPCMessage,
  type Transport,
} from "@modelcontextprotocol/client"
import { getDefaultEnvironment, StdioClientTransport } from "@modelcontextprotocol/client/stdio"

/** Time for a program to exit by itself after the end of its input. */
const graceSeconds = 1

/**
 * Ends a program and everything it started when this process exits or is killed. A small shell waits for the end of its input, a pipe that
 * only this process holds. The shell is in its own process group, so signals sent to the box don't reach it. Except on Windows, the program
 * must lead a process group. Dispose of the guard after the program has exited.
 */
function guardProgram(pid: number, onError: (error: Error) => void): Disposable {
  const [shell, args] = process.platform === "win32" ? windowsShell(pid) : posixShell(pid)
  const guard = spawn(shell, args, {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
    windowsHide: true,
  }).on("error", onError)
  return {
    [Symbol.dispose]() {
      guard.kill("SIGKILL")
      guard.stdin.destroy()
    },
  }
}

type Shell = [command: string, args: string[]]

const posixShell = (pid: number): Shell => [
  "/bin/sh",
  ["-c", `read -r end; sleep ${graceSeconds}; kill -s KILL -- "-$1"`, "sh", String(pid)],
]

const windowsShell = (pid: number): Shell => [
  "cmd.exe",
  ["/d", "/s", "/c", `more >nul & ping -n ${graceSeconds + 1} 127.0.0.1 >nul & taskkill /f /t /pid ${pid}`],
]

interface Program {
  command: string
  args: string[]
  /** Variables in addition to PATH, HOME and the user name. */
  env: Record<string, string>
  cwd: string
  /** Maximum size of an incomplete message. */
  maxBufferSize: number
  /** Time for a program to exit after a request, in ms, before it is killed. */
  graceMs: number
  onErrorOutput(text: string): void
  /** Called when the program runs. */
  onStart(pid: number): void
}

/**
 * Communicates with a program over stdin and stdout, one message per line. Unlike the SDK's transport, it starts the program as the leader
 * of a process group, so that everything the program starts can be ended with it.
 */
function createProgramTransport(program: Program): Transport {
  const { command, args, env, cwd, maxBufferSize, graceMs, onErrorOutput, onStart } = program
  const messages = new ReadBuffer({ maxBufferSize })
  let child: ChildProcessByStdio<Writable, Readable, Readable> | undefined

  const transport: Transport = {
    async start() {
      const started = spawn(command, args, {
        env: { ...getDefaultEnvironment(), ...env },
        cwd,
        stdio: ["pipe", "pipe", "pipe"],
        detached: true,
      })
      child = started
      const fail = (error: Error) => transport.onerror?.(error)
      // Kills leftover processes, which nothing else would end.
      started.on("exit", () => killGroup(started.pid))
      started.on("close", () => {
        child = undefined
        transport.onclose?.()
      })
      started.stderr.setEncoding("utf8").on("data", onErrorOutput)
      started.stdin.on("error", fail)
      started.stdout.on("data", (piece: Buffer) => {
        try {
          messages.append(piece)
        } catch (error) {
          fail(error as Error)
          void transport.close()
          return
        }
        readMessages(messages, transport)
      })
      if (started.pid !== undefined) onStart(started.pid)
      await once(started, "spawn")
      started.on("error", fail)
    },

    send: (message) =>
      new Promise((resolve) => {
        if (child === undefined) throw new Error("The program isn't running.")
        if (child.stdin.write(serializeMessage(message))) resolve()
        else child.stdin.once("drain", resolve)
      }),

    async close() {
      if (child === undefined) return
      const { stdin, pid } = child
      const closed = once(child, "close")
      stdin.end()
      const kill = setTimeout(() => killGroup(pid), graceMs)
      await closed
      clearTimeout(kill)
      messages.clear()
    },
  }
  return transport
}

/** Reports a line that isn't a message, and continues with the next one. */
function readMessages(messages: ReadBuffer, transport: Transport): void {
  for (;;) {
    let message: JSONRPCMessage | null
    try {
      message = messages.readMessage()
    } catch (error) {
      transport.onerror?.(error as Error)
      continue
    }
    if (message === null) return
    transport.onmessage?.(message)
  }
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, "SIGKILL")
  } catch {
    // the process has already exited
  }
}

/** A newly opened transport to a server. */
export interface Opened {
  transport: Transport
  /** Returns the program's error output, to explain a failed start. */
  getErrorOutput(): string
  end(): Promise<void>
}

const limits = { stdoutBytes: 8_000_000, graceMs: 1000, errorOutput: 500 }

interface Command {
  command: string
  args: string[]
}

/**
 * Starts a local program as an MCP server. The program ends with the box, however the box ends; `onWarning` is called if that can't be
 * guaranteed.
 */
export function openProgram(
  env: Record<string, string>,
  { command, args }: Command,
  onWarning: (error: Error) => void,
): Opened {
  let output = ""
  let guard: Disposable | undefined
  const shared = { command, args, env, cwd: homedir(), maxBufferSize: limits.stdoutBytes }
  const onErrorOutput = (text: string) => {
    output = `${output}${text}`.slice(-limits.errorOutput)
  }
  const onStart = (pid: number) => {
    guard = guardProgram(pid, onWarning)
  }
  const transport =
    process.platform === "win32"
      ? openOnWindows(shared, onErrorOutput, onStart)
      : createProgramTransport({ ...shared, graceMs: limits.graceMs, onErrorOutput, onStart })
  // The client that receives the transport keeps this handler.
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's transport is no event target
  transport.onclose = () => guard?.[Symbol.dispose]()
  return {
    transport,
    getErrorOutput: () => output.trim(),
    end: () => transport.close(),
  }
}

/** Windows has no process groups, and programs such as `npx` are scripts, which the SDK knows how to start. */
function openOnWindows(
  program: ConstructorParameters<typeof StdioClientTransport>[0],
  onErrorOutput: (text: string) => void,
  onStart: (pid: number) => void,
): Transport {
  const transport = new StdioClientTransport({ ...program, stderr: "pipe" })
  transport.stderr?.on("data", (piece: Buffer) => onErrorOutput(piece.toString()))
  const start = transport.start.bind(transport)
  transport.start = async () => {
    await start()
    if (transport.pid !== null) onStart(transport.pid)
  }
  return transport
}
