import { Worker } from "node:worker_threads"

const checkEveryMs = 100
/**
 * Interval of heartbeats on the standard output, for the parent (`core/children/child-life.ts`). A process with a watchdog has work or ends
 * soon.
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
