// Killing npm would leave the program running, so the program watches its parent and shuts down cleanly when that is gone. Signals that npm
// can pass on arrive without this, because npm's shell replaces itself with the program (`exec`).
const lookEveryMs = 300

export function endWithNpm() {
  if (process.env.npm_lifecycle_event === undefined || process.platform === "win32") return
  const parent = process.ppid
  const look = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(look)
    process.kill(process.pid, "SIGTERM")
  }, lookEveryMs)
  look.unref()
}
