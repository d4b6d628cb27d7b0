import { Worker } from "node:worker_threads"

/** Sends heartbeats during work to the standard output, where the parent listens (`start-child.ts`). */
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

const checkEveryMs = 100
/**
 * Interval of heartbeats on the standard output, for the parent (`start-child.ts`). A process with a watchdog has work or ends soon.
 */
const beatEveryMs = 1_000

// Plain JavaScript, because it runs in a separate thread without a file: a parser that loops or allocates blocks its own timers. Heap
// limits exclude Buffers and WebAssembly, so it measures resident memory.
const watch = `
const { bytes, parent, processorTime, everyMs, beatEveryMs } = require("node:worker_threads").workerData
const used = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000 }
const fs = require("node:fs")
const isWindows = process.platform === "win32"
let ending = false
// a handler would survive the signal that says why
const end = (signal) => { process.kill(process.pid, ending || isWindows ? "SIGKILL" : signal); ending = true }
let sinceBeat = 0
setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, "SIGKILL")
  if (process.memoryUsage.rss() > bytes) end("SIGUSR2")
  else if (processorTime && used() > processorTime[0]) end("SIGVTALRM")
  sinceBeat += everyMs
  if (sinceBeat < beatEveryMs) return
  sinceBeat = 0
  try { fs.writeSync(1, ".") } catch {} // nobody listens
}, everyMs)
`

export interface WatchdogOptions {
  /** Resident memory, in bytes, above which this process ends with SIGUSR2. The signal has no other meaning here. */
  bytes: number
  /** Processor time, in ms, above which this process ends with SIGVTALRM. The signal has no other meaning here. */
  processorTime?: Float64Array
}

/** Ends this process when it exceeds its limits or when its parent is gone, and sends heartbeats for it. */
export function startWatchdog(options: WatchdogOptions): void {
  const thread = new Worker(watch, {
    eval: true,
    workerData: { ...options, parent: process.ppid, everyMs: checkEveryMs, beatEveryMs },
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 4 },
  })
  thread.unref()
}
