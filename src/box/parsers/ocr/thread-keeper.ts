import { EventEmitter } from "node:events"
import { syncBuiltinESMExports } from "node:module"
import workerThreads, { MessageChannel, Worker, type MessagePort } from "node:worker_threads"

// Plain JavaScript, because it runs in its own thread without a file. It starts only this one program.
const keep = `
const { parentPort, workerData, Worker } = require("node:worker_threads")
parentPort.on("message", (port) => {
  const thread = new Worker(new URL(workerData))
  port.on("message", (packet) => thread.postMessage(packet))
  port.on("close", () => thread.terminate())
  thread.on("message", (packet) => port.postMessage(packet))
  thread.on("error", () => port.close())
})
`

/**
 * Starts Tesseract's threads for a process that has given up the right to start threads. Threads that are stopped while reading an image
 * have to be replaced. Call it before giving up rights; the returned function makes Tesseract use these threads.
 */
export function startThreadHost(): () => void {
  const program = import.meta.url.endsWith(".ts") ? "./ocr-thread.ts" : "./ocr-thread.js"
  const threadStarter = new Worker(keep, { eval: true, workerData: new URL(program, import.meta.url).href })
  threadStarter.unref()
  const start = (port: MessagePort) => threadStarter.postMessage(port, [port])
  return () => {
    // The library has no option for this: it creates a `Worker` with its own program.
    Reflect.set(
      workerThreads,
      "Worker",
      class extends DelegatedThread {
        constructor() {
          super(start)
        }
      },
    )
    syncBuiltinESMExports()
  }
}

/** Implements the parts of a thread that Tesseract's library uses. */
class DelegatedThread extends EventEmitter {
  readonly #port: MessagePort
  #isWanted = true

  constructor(start: (port: MessagePort) => void) {
    super()
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    port1.on("message", (packet) => this.emit("message", packet))
    port1.on("close", () => {
      if (this.#isWanted) throw new Error("Tesseract's thread ended.")
    })
    start(port2)
  }

  postMessage(packet: unknown): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    this.#port.postMessage(packet)
  }

  terminate(): void {
    this.#isWanted = false
    this.#port.close()
  }
}
