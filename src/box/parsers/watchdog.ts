import { Worker } from "node:worker_threads"

const checkEveryMs = 100

// Plain JavaScript, because it runs in a thread of its own without a file: a parser that loops or allocates never
// lets its own timers run. Heap limits don't count Buffers and WebAssembly, so only resident memory tells.
const watch = `
const { bytes, parent, scratchDirectory, processorTime, everyMs } = require("node:worker_threads").workerData
const used = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000 }
setInterval(() => {
  const orphaned = process.ppid !== parent
  // nobody else is left to do it
  if (orphaned && scratchDirectory) require("node:fs").rmSync(scratchDirectory, { recursive: true, force: true })
  if (orphaned || process.memoryUsage.rss() > bytes) process.kill(process.pid, "SIGKILL")
  if (processorTime && used() > processorTime[0]) process.kill(process.pid, process.platform === "win32" ? "SIGKILL" : "SIGVTALRM")
}, everyMs)
`

export interface WatchdogOptions {
  /** Resident memory, in bytes, above which this process ends. */
  bytes: number
  /** Removed when the process that started this one is gone. */
  scratchDirectory?: string
  /** Processor time, in ms, above which this process ends with SIGVTALRM, which means just that. */
  processorTime?: Float64Array
}

/** Ends this process when it exceeds its limits, or when the process that started it is gone. */
export function startWatchdog(options: WatchdogOptions): void {
  const thread = new Worker(watch, {
    eval: true,
    workerData: { ...options, parent: process.ppid, everyMs: checkEveryMs },
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 4 },
  })
  thread.unref()
}
