import { Worker } from "node:worker_threads"

const checkEveryMs = 100

// Plain JavaScript, because it runs in a thread of its own without a file: a parser that loops or allocates never
// lets its own timers run. Heap limits don't count Buffers and WebAssembly, so only resident memory tells.
const watch = `
const { bytes, parent, scratchDirectory, everyMs } = require("node:worker_threads").workerData
setInterval(() => {
  const orphaned = process.ppid !== parent
  // nobody else is left to do it
  if (orphaned && scratchDirectory) require("node:fs").rmSync(scratchDirectory, { recursive: true, force: true })
  if (orphaned || process.memoryUsage.rss() > bytes) process.kill(process.pid, "SIGKILL")
}, everyMs)
`

/** Ends this process when its resident memory exceeds `bytes`, or when the process that started it is gone. */
export function startMemoryWatchdog(bytes: number, scratchDirectory?: string): void {
  const thread = new Worker(watch, {
    eval: true,
    workerData: { bytes, parent: process.ppid, scratchDirectory, everyMs: checkEveryMs },
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 4 },
  })
  thread.unref()
}
