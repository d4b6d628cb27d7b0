// Preloaded into the box: on SIGUSR2 writes the longest pause of its event loop since the last time, in milliseconds.
import { writeFileSync } from "node:fs"
import { monitorEventLoopDelay } from "node:perf_hooks"

const file = process.env["CASELLA_BENCH_PAUSES"]
if (file !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  process.on("SIGUSR2", () => {
    writeFileSync(file, JSON.stringify({ max: delay.max / 1e6, p99: delay.percentile(99) / 1e6 }))
    delay.reset()
  })
}
