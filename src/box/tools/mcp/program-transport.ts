import { spawn, type ChildProcessByStdio } from "node:child_process"
import { once } from "node:events"
import type { Readable, Writable } from "node:stream"
import {
  ReadBuffer,
  serializeMessage,
  type JSONRPCMessage,
  type Transport,
} from "@modelcontextprotocol/client"
import { getDefaultEnvironment } from "@modelcontextprotocol/client/stdio"

export interface Program {
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
export function createProgramTransport(program: Program): Transport {
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
