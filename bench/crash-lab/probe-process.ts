// Sends a box a cheap request every 50 ms, and reports the longest response time to its parent. Arguments: the box's address and process
// id. CASELLA_LAB_KEY contains the key.
import { readFileSync } from "node:fs"
import { setTimeout as pause } from "node:timers/promises"

const everyMs = 50
const [url = "", boxPid = ""] = process.argv.slice(2)
const headers = { "x-api-key": process.env["CASELLA_LAB_KEY"] ?? "" }
let maxMs = 0

/** Total time that a process was ready to run while the machine ran others, in ms (Linux; 0 elsewhere). */
function getRunQueueWaitMs(pid: string): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[1]) / 1e6
  } catch {
    return 0
  }
}
/** Waiting time of both ends of a request, which the box didn't cause. */
const machineMs = () => getRunQueueWaitMs(boxPid) + getRunQueueWaitMs("self")

/** Starts a clock. The returned function gives the time for which the box has kept its client waiting since then. */
function startClock(): () => number {
  const machineBefore = machineMs()
  const startedAt = performance.now()
  return () => performance.now() - startedAt - (machineMs() - machineBefore)
}

let pausedMs = startClock()
const ask = async () => void (await (await fetch(`${url}/api/public/me`, { headers })).arrayBuffer())

await ask().catch(() => undefined) // the first request loads the code for requests
process.on("message", () => process.send?.(Math.max(maxMs, pausedMs())))
process.on("disconnect", () => process.exit())
process.send?.("asking")
for (;;) {
  pausedMs = startClock()
  const answered = ask().then(
    () => (maxMs = Math.max(maxMs, pausedMs())),
    () => undefined, // a stopped box keeps no one waiting
  )
  await Promise.all([answered.then(() => (pausedMs = () => 0)), pause(everyMs)])
}
