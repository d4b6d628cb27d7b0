import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"

/** Lets only so many in at the same time; the others wait in the order they came. */
export interface Turnstile {
  /**
   * Settles once there is room for this visitor; disposing of the answer makes room for the next one.
   * Throws `unavailable` when too many wait already, in all or of this visitor, and the signal's reason when it is aborted.
   */
  enter(signal: AbortSignal, visitor?: string): Promise<Disposable>
}

/** Waiting places are bounded, also those that one visitor may take. */
export function createTurnstile(places: number, maxWaiting: number, maxWaitingEach = maxWaiting): Turnstile {
  let free = places
  /** Whom each way in is for. */
  const waiting = new Map<() => void, string>()

  function place(): Disposable {
    let mine = true
    return {
      [Symbol.dispose]() {
        if (!mine) return
        mine = false
        const [next] = waiting.keys()
        if (next) next()
        else free++
      },
    }
  }

  return {
    async enter(signal, visitor = "") {
      signal.throwIfAborted()
      if (free > 0) {
        free--
        return place()
      }
      const own = [...waiting.values()].filter((other) => other === visitor)
      if (waiting.size >= maxWaiting || own.length >= maxWaitingEach) {
        throw new AppError("unavailable", sentence("core.too_much_waiting"))
      }
      return new Promise((resolve, reject) => {
        const leave = () => {
          waiting.delete(take)
          signal.removeEventListener("abort", abort)
        }
        const take = () => {
          leave()
          resolve(place())
        }
        const abort = () => {
          leave()
          reject(signal.reason as Error)
        }
        waiting.set(take, visitor)
        signal.addEventListener("abort", abort, { once: true })
      })
    },
  }
}
