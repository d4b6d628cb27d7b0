import childProcess, { type ChildProcess } from "node:child_process"
import { EventEmitter } from "node:events"
import { syncBuiltinESMExports } from "node:module"

/** What node-llama-cpp says to the process that it tries its native code in, and what that answers where it works. */
const answers: Record<string, string | undefined> = { start: "loaded", test: "done" }
/** node-llama-cpp speaks at once; where a newer one speaks otherwise, the trial has failed. */
const silenceMs = 2_000

/**
 * Opens llama.cpp as if its native code had passed the trial that node-llama-cpp makes of it in a process of its own, each time,
 * for a third of a second: for code that passed before. There is no option for it.
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

/** Answers as the process of a trial that passes. */
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
