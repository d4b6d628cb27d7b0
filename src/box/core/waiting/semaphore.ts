import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"

/** Lets only so many in at the same time; the others wait. */
export interface Semaphore<Caller = string> {
  /**
   * Settles once there is a place for this caller; disposing of the answer makes it free for the next one.
   * Throws `tooMany` when too many wait already, in all or of this caller, and the signal's reason when it is aborted.
   */
  acquire(signal: AbortSignal, caller: Caller): Promise<Disposable>
  /** Does the work once there is a place for it. */
  run<T>(signal: AbortSignal, caller: Caller, work: () => Promise<T>): Promise<T>
}

export interface SemaphoreOptions<Caller> {
  /** Asked whenever a place may be given away. */
  places: () => number
  /** Of those places, for one caller: the others stay free for whoever else comes. */
  placesEach?: number
  /** Additional places, each for a caller that has none, so that one busy caller can't block all others. */
  spare?: number
  /** Of those that wait, in all and of one caller. */
  maxWaiting: number
  maxWaitingEach?: number
  /** What is told when too many wait. */
  tooMany?: () => AppError
  /** Whose turn it is, of those that wait, in the order they came; the first one's unless told. */
  next?: (waiting: readonly { caller: Caller }[], active: readonly Caller[]) => number
}

/**
 * Not `p-limit` or `async-mutex`: neither bounds how many wait, lets one caller take only some of the waiting places, nor
 * takes a signal for the wait alone.
 */
export function createSemaphore<Caller = string>({
  places,
  placesEach = Infinity,
  spare = 0,
  maxWaiting,
  maxWaitingEach = maxWaiting,
  tooMany = () => new AppError("unavailable", sentence("core.too_much_waiting")),
  next = () => 0,
}: SemaphoreOptions<Caller>): Semaphore<Caller> {
  const active: Caller[] = []
  const waiting: { caller: Caller; admit(place: Disposable): void }[] = []

  function mayTake(caller: Caller): boolean {
    const isSpare = active.length >= places()
    if (isSpare && active.length >= places() + spare) return false
    if (!isSpare && placesEach === Infinity) return true
    return active.filter((other) => other === caller).length < (isSpare ? 1 : placesEach)
  }

  function admitNext(): void {
    while (active.length < places() + spare) {
      const open = waiting.filter(({ caller }) => mayTake(caller))
      const admitted = open[Math.max(next(open, active), 0)]
      if (!admitted) return
      waiting.splice(waiting.indexOf(admitted), 1)
      admitted.admit(take(admitted.caller))
    }
  }

  function take(caller: Caller): Disposable {
    active.push(caller)
    let isMine = true
    return {
      [Symbol.dispose]() {
        if (!isMine) return
        isMine = false
        active.splice(active.indexOf(caller), 1)
        admitNext()
      },
    }
  }

  const ownWaiting = (caller: Caller): number =>
    maxWaitingEach < maxWaiting ? waiting.filter((other) => other.caller === caller).length : 0

  const semaphore: Semaphore<Caller> = {
    async run(signal, caller, work) {
      const place = await semaphore.acquire(signal, caller)
      return work().finally(() => place[Symbol.dispose]())
    },
    async acquire(signal, caller) {
      signal.throwIfAborted()
      if (waiting.length === 0 && mayTake(caller)) return take(caller)
      if (waiting.length >= maxWaiting || ownWaiting(caller) >= maxWaitingEach) throw tooMany()
      const { promise, resolve, reject } = Promise.withResolvers<Disposable>()
      const entry = { caller, admit: resolve }
      const giveUp = () => {
        const place = waiting.indexOf(entry)
        if (place === -1) return // admitted in the meantime
        waiting.splice(place, 1)
        reject(signal.reason as Error)
      }
      waiting.push(entry)
      signal.addEventListener("abort", giveUp, { once: true })
      admitNext()
      return promise.finally(() => signal.removeEventListener("abort", giveUp))
    },
  }
  return semaphore
}
