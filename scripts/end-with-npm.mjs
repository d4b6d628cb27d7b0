// Killing npm would leave the program running, so the program watches its parent and shuts down cleanly when that is gone. Signals that npm
// can pass on arrive without this, because npm's shell replaces itself with the program (`exec`).
const checkIntervalMs = 300

export function endWithNpm() {
  if (process.env.npm_lifecycle_event === undefined || process.platform === "win32") return
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    process.kill(process.pid, "SIGTERM")
  }, checkIntervalMs)
  timer.unref()
}
