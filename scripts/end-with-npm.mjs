// `npm run` puts a shell between itself and the program, and the shell passes no signal on: whoever ends npm would
// leave the program running. So the program looks after its parent, and stops in good order when that is gone.
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
