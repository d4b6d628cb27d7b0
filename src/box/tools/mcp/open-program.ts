import { homedir } from "node:os"
import type { Transport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { guardProgram } from "./program-guard.ts"
import { createProgramTransport } from "./program-transport.ts"

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
