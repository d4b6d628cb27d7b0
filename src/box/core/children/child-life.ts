import { frozen, type Child } from "./child.ts"

/** Watches a child while it has work. Without work there is no timer. */
export interface LifeWatch {
  /** Marks the start of work. Call the returned function when the work is done; extra calls have no effect. */
  begin(): () => void
  /** The child reported about its work. */
  recordActivity(): void
}

const tickMs = 1_000
/** Seconds without a heartbeat (`heartbeat.ts`) after which a child is frozen. The first heartbeat arrives after the child has started. */
const maxMissed = 9
const maxMissedAtStart = 30

/**
 * Ends a child as `frozen` if it has work but sends no heartbeat, or doesn't report about its work for longer than `maxSilence`
 * seconds. Seconds in which this process couldn't listen, such as its own pauses or a sleeping computer, are excluded.
 */
export function createLifeWatch(child: Child, maxSilence = () => Infinity): LifeWatch {
  let pending = 0
  let missed = 0
  let silent = 0
  let hasBeaten = false
  let timer: NodeJS.Timeout | undefined
  child.onBeat(() => {
    hasBeaten = true
    missed = 0
  })
  child.onExit(() => clearInterval(timer))

  function tick(): void {
    const isFrozen = ++missed > (hasBeaten ? maxMissed : maxMissedAtStart)
    if (isFrozen || ++silent > maxSilence()) child.kill(frozen)
  }

  return {
    begin() {
      if (pending++ === 0) {
        missed = 0
        timer = setInterval(tick, tickMs).unref()
      }
      silent = 0
      let isDone = false
      return () => {
        if (isDone) return
        isDone = true
        if (--pending === 0) clearInterval(timer)
      }
    },
    recordActivity() {
      silent = 0
    },
  }
}
