// For `node --import`: whenever a timer of the process begins or ends, Node's own too, writes in how many ms those that run
// fire after they were set, as JSON, into the file that LIST_TIMERS names. What is repeated each minute, or less often, never
// happens: a test sees what the process wakes up for.
import { createHook } from "node:async_hooks"
import { renameSync, writeFileSync } from "node:fs"

const path = process.env.LIST_TIMERS
const timers = new Map()

function write() {
  const durations = [...timers.values()].map(({ _idleTimeout }) => _idleTimeout)
  writeFileSync(`${path}.new`, JSON.stringify(durations))
  renameSync(`${path}.new`, path)
}

const repeat = globalThis.setInterval
globalThis.setInterval = (work, ms, ...values) => repeat(ms < 60_000 ? work : () => {}, ms, ...values)

createHook({
  init(id, type, _, timer) {
    if (type !== "Timeout") return
    timers.set(id, timer)
    queueMicrotask(write) // only then its duration is known
  },
  destroy(id) {
    if (timers.delete(id)) write()
  },
}).enable()
