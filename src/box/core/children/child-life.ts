import { frozen, type Child } from "./child.ts"

/** Looks after a child while it has work; without any there is no timer. */
export interface LifeWatch {
  /** Work begins. What is returned says that it is done, also when called more than once. */
  begin(): () => void
  /** The child said something about its work. */
  heard(): void
}

const tickMs = 1_000
/** Seconds without a beat (`heartbeat.ts`) after which a child is frozen; the first one comes once it has started. */
const mostMissed = 9
const mostMissedAtStart = 30

/**
 * Ends a child as `frozen` that has work and doesn't beat, or says nothing about it for longer than `longestSilence` in
 * seconds. Only seconds count in which this process could listen: neither its own pauses nor a sleeping computer do.
 */
export function createLifeWatch(child: Child, longestSilence = () => Infinity): LifeWatch {
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
    const isFrozen = ++missed > (hasBeaten ? mostMissed : mostMissedAtStart)
    if (isFrozen || ++silent > longestSilence()) child.kill(frozen)
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
    heard() {
      silent = 0
    },
  }
}
