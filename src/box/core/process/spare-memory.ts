/** Interval at which the activity of the process is checked. */
const checkIntervalMs = 60_000
/** Maximum processor time in a quiet interval, in ms. */
const quietMs = 300
/** Processor time, in ms, after which there may be memory to release. */
const worthMs = 1_000

/**
 * Releases memory that JavaScript freed, and compiled code that wasn't used for long, when the process has done little for a minute: after
 * its start, and each time that it has worked since then. It blocks everything else for about 0.1 s. By default, JavaScript collects
 * garbage only when it needs space, and keeps the pages for later.
 */
export function releaseSpareMemory(collect: () => void = collectGarbage): Disposable {
  let givenBackAt = Number.NEGATIVE_INFINITY
  let checkedAt = processorMs()
  const timer = setInterval(() => {
    const now = processorMs()
    const isQuiet = now - checkedAt < quietMs
    checkedAt = now
    if (!isQuiet || now - givenBackAt < worthMs) return
    collect()
    checkedAt = givenBackAt = processorMs()
  }, checkIntervalMs).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

function processorMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/** Discards compiled code that wasn't called since the previous collection; V8's default is since the sixth one before. */
const codeAge = { now: "--bytecode-old-age=1", else: "--bytecode-old-age=6" }

/** V8 exposes its garbage collector only to code that is created after the flag is set. */
function collectGarbage(): void {
  const { setFlagsFromString } = process.getBuiltinModule("node:v8")
  setFlagsFromString("--expose-gc")
  const collect = process.getBuiltinModule("node:vm").runInNewContext("gc") as NodeJS.GCFunction
  setFlagsFromString("--no-expose-gc")
  setFlagsFromString(codeAge.now)
  collect({ type: "major", flavor: "last-resort" })
  setFlagsFromString(codeAge.else)
}
