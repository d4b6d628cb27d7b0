import childProcess, { type ChildProcess } from "node:child_process"
import { EventEmitter } from "node:events"
import { syncBuiltinESMExports } from "node:module"

/** Messages that node-llama-cpp sends to the process in which it tests its native code, each with the reply of a process that passes. */
const answers: Record<string, string | undefined> = { start: "loaded", test: "done" }
/** node-llama-cpp sends its messages at once. If a newer version behaves differently, the test fails after this time. */
const silenceMs = 2_000

/**
 * Opens llama.cpp without the test that node-llama-cpp runs on its native code in a separate process each time, which takes a third of a
 * second. Use it only for code that has passed before. node-llama-cpp has no option for this.
 */
export async function withPassedTrial<Opened>(open: () => Promise<Opened>): Promise<Opened> {
  const { fork } = childProcess
  childProcess.fork = () => new PassingTrial() as unknown as ChildProcess
  syncBuiltinESMExports()
  try {
    return await open()
  } finally {
    childProcess.fork = fork
    syncBuiltinESMExports()
  }
}

/** Replies like a test process that passes. */
class PassingTrial extends EventEmitter {
  exitCode: number | null = null
  readonly #silence = setTimeout(() => this.#exit(1), silenceMs)

  constructor() {
    super()
    setImmediate(() => this.emit("message", { type: "ready" }))
  }

  send(message: { type: string }): void {
    const answer = answers[message.type]
    setImmediate(() => {
      if (answer === undefined) this.#exit(message.type === "exit" ? 0 : 1)
      else this.emit("message", { type: answer })
    })
  }

  kill(): void {
    this.#exit(1)
  }

  #exit(code: number): void {
    clearTimeout(this.#silence)
    if (this.exitCode !== null) return
    this.exitCode = code
    this.emit("exit", code)
  }
}
