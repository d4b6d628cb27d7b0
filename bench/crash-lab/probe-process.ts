// Asks a box something cheap every 50 ms, and tells its parent how long the longest answer took. Its arguments: address, the
// box's process; the key is in CASELLA_LAB_KEY.
import { readFileSync } from "node:fs"
import { setTimeout as pause } from "node:timers/promises"

const everyMs = 50
const [url = "", boxPid = ""] = process.argv.slice(2)
const headers = { "x-api-key": process.env["CASELLA_LAB_KEY"] ?? "" }
let longestMs = 0

/** How long a process was ready to run while the machine ran others, in all (Linux; elsewhere nothing is known). */
function keptWaitingMs(pid: string): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[1]) / 1e6
  } catch {
    return 0
  }
}
/** Of either end of a request: what isn't the box's doing. */
const machineMs = () => keptWaitingMs(boxPid) + keptWaitingMs("self")

/** Begins to count; answers how long the box has kept its client waiting since then. */
function startClock(): () => number {
  const machineBefore = machineMs()
  const begun = performance.now()
  return () => performance.now() - begun - (machineMs() - machineBefore)
}

let pausedMs = startClock()
const ask = async () => void (await (await fetch(`${url}/api/public/me`, { headers })).arrayBuffer())

await ask().catch(() => undefined) // the first loads what it takes to ask
process.on("message", () => process.send?.(Math.max(longestMs, pausedMs())))
process.on("disconnect", () => process.exit())
process.send?.("asking")
for (;;) {
  pausedMs = startClock()
  const answered = ask().then(
    () => (longestMs = Math.max(longestMs, pausedMs())),
    () => undefined, // a box that is down keeps nobody waiting
  )
  await Promise.all([answered.then(() => (pausedMs = () => 0)), pause(everyMs)])
}
