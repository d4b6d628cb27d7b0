import { Worker } from "node:worker_threads"

/** Sends heartbeats during work to the standard output, where the parent listens (`child-life.ts`). */
export interface Heartbeat {
  begin(): void
  end(): void
}

const everyMs = 1_000

// Plain JavaScript in a separate thread, because the event loop is blocked during long work. The thread sleeps when there is no work.
const beat = `
const { workerData: pending } = require("node:worker_threads")
const { writeSync } = require("node:fs")
for (;;) {
  Atomics.wait(pending, 0, 0)
  try {
    writeSync(1, ".")
  } catch {} // nobody listens
  Atomics.wait(pending, 1, 0, ${everyMs}) // which nobody changes
}
`

/** Starts the thread. Call it before the process gives up its rights. */
export function startHeartbeat(): Heartbeat {
  const pending = new Int32Array(new SharedArrayBuffer(8))
  new Worker(beat, {
    eval: true,
    workerData: pending,
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 4 },
  }).unref()
  return {
    begin() {
      if (Atomics.add(pending, 0, 1) === 0) Atomics.notify(pending, 0)
    },
    end() {
      Atomics.sub(pending, 0, 1)
    },
  }
}
