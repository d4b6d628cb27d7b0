// Whoever kills npm would leave the program running. So the program looks after its parent, and stops in good order
// when that is gone. Signals that npm itself can pass on arrive without this: its shell becomes the program by `exec`.
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
