/** How often is looked whether the process is quiet. */
const lookEveryMs = 60_000
/** Of processor time, in ms, within that time. */
const quietMs = 300
/** Processor time, in ms, after which there may be something to give back. */
const worthMs = 1_000

/**
 * Gives the system back what JavaScript freed, and compiled code that wasn't used for long, once the process has done little for a
 * minute: after its start, and each time that it did something since. It takes about 0.1 s, in which nothing else runs. Left
 * to itself, JavaScript cleans up when it needs room, and keeps pages for what comes next.
 */
export function giveBackSpareMemory(collect: () => void = collectGarbage): Disposable {
  let givenBackAt = Number.NEGATIVE_INFINITY
  let lookedAt = processorMs()
  const timer = setInterval(() => {
    const now = processorMs()
    const isQuiet = now - lookedAt < quietMs
    lookedAt = now
    if (!isQuiet || now - givenBackAt < worthMs) return
    collect()
    lookedAt = givenBackAt = processorMs()
  }, lookEveryMs).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

function processorMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/** Compiled code goes that wasn't called since the collection before; as V8 starts, since the sixth before. */
const codeAge = { now: "--bytecode-old-age=1", else: "--bytecode-old-age=6" }

/** V8 hands its collector out only to code that is made after the flag is set. */
function collectGarbage(): void {
  const { setFlagsFromString } = process.getBuiltinModule("node:v8")
  setFlagsFromString("--expose-gc")
  const collect = process.getBuiltinModule("node:vm").runInNewContext("gc") as NodeJS.GCFunction
  setFlagsFromString("--no-expose-gc")
  setFlagsFromString(codeAge.now)
  collect({ type: "major", flavor: "last-resort" })
  setFlagsFromString(codeAge.else)
}
