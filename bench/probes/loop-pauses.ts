// Preloaded into the box. On SIGUSR2 it writes the longest event-loop pause since the last time, in milliseconds, and the maximum processor
// time of the thread between two turns of the loop.
import { writeFileSync } from "node:fs"
import { monitorEventLoopDelay } from "node:perf_hooks"

const file = process.env["CASELLA_BENCH_PAUSES"]
if (file !== undefined) {
  const everyMs = 5
  const delay = monitorEventLoopDelay({ resolution: everyMs })
  delay.enable()
  let before = process.threadCpuUsage()
  let busiest = 0
  setInterval(() => {
    const { user, system } = process.threadCpuUsage(before)
    busiest = Math.max(busiest, (user + system) / 1e3)
    before = process.threadCpuUsage()
  }, everyMs).unref()
  process.on("SIGUSR2", () => {
    writeFileSync(file, JSON.stringify({ max: delay.max / 1e6, p99: delay.percentile(99) / 1e6, busiest }))
    delay.reset()
    busiest = 0
  })
}
