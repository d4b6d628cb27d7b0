import { AppError } from "../../shared/contract/errors.ts"

/** Lets only so many in at the same time; the others wait in the order they came. */
export interface Turnstile {
  /**
   * Settles once there is room; disposing of the answer makes room for the next one.
   * Throws `unavailable` when too many wait already, and the signal's reason when it is aborted.
   */
  enter(signal: AbortSignal): Promise<Disposable>
}

export function createTurnstile(places: number, maxWaiting: number): Turnstile {
  let free = places
  const waiting = new Set<() => void>()

  function place(): Disposable {
    let mine = true
    return {
      [Symbol.dispose]() {
        if (!mine) return
        mine = false
        const [next] = waiting
        if (next) next()
        else free++
      },
    }
  }

  return {
    async enter(signal) {
      signal.throwIfAborted()
      if (free > 0) {
        free--
        return place()
      }
      if (waiting.size >= maxWaiting) {
        throw new AppError("unavailable", "Too much is waiting for this already. Try again in a while.")
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
        waiting.add(take)
        signal.addEventListener("abort", abort, { once: true })
      })
    },
  }
}
