import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { DatabaseBusy } from "../database/database.ts"

/**
 * Runs tasks with the same key one after another, in order of arrival; tasks with different keys run concurrently. If another program's
 * lock on the database ends a task, those that waited behind it are rejected too: otherwise each would wait as long again.
 */
export interface KeyedLock {
  run<T>(key: string, task: () => Promise<T>): Promise<T>
}

export function createKeyedLock(): KeyedLock {
  const last = new Map<string, Promise<void>>()
  return {
    async run(key, task) {
      const before = last.get(key) ?? Promise.resolve()
      const turn = before.then(task)
      const settled = turn.then(
        () => undefined,
        (error: unknown) => {
          if (error instanceof DatabaseBusy) throw error
        },
      )
      last.set(key, settled)
      try {
        return await turn
      } finally {
        await settled.catch(() => undefined)
        if (last.get(key) === settled) last.delete(key)
      }
    },
  }
}

/** Limits the number of concurrent callers; the others wait. */
export interface Semaphore<Caller = string> {
  /**
   * Settles when there is a slot for this caller; dispose of the result to free the slot. Throws `tooMany` if too many are already waiting,
   * in total or of this caller, and the signal's reason when it is aborted.
   */
  acquire(signal: AbortSignal, caller: Caller): Promise<Disposable>
  /** Runs the work when there is a slot for it. */
  run<T>(signal: AbortSignal, caller: Caller, work: () => Promise<T>): Promise<T>
}

export interface SemaphoreOptions<Caller> {
  /** Returns the number of slots; called whenever a slot may be assigned. */
  slots: () => number
  /** Maximum number of these slots per caller; the rest stays free for other callers. */
  slotsEach?: number
  /** Additional slots for callers that have none, so that one busy caller can't block all others. */
  spare?: number
  /** Maximum number of waiting requests, in total and per caller. */
  maxWaiting: number
  maxWaitingEach?: number
  /** Returns the person to whom limits per caller apply; the caller by default. */
  getPerson?: (caller: Caller) => unknown
  /**
   * Whether people take turns, instead of being served in order of arrival. Then the next slot is for someone with the fewest slots and, among
   * those, who got one the longest ago.
   */
  isFair?: boolean
  /** Creates the error for too many waiting requests. */
  tooMany?: () => AppError
  /** Returns the index of the next one to admit among those that may be next, in order of arrival. Default and -1: the first one. */
  next?: (waiting: readonly { caller: Caller }[], active: readonly Caller[]) => number
}

/**
 * Not `p-limit` or `async-mutex`: neither limits the length of the queue, limits one caller's part of the queue, or accepts a signal for
 * the wait alone.
 */
export function createSemaphore<Caller = string>({
  slots,
  slotsEach = Infinity,
  spare = 0,
  maxWaiting,
  maxWaitingEach = maxWaiting,
  getPerson = (caller) => caller,
  isFair = false,
  tooMany = () => new AppError("unavailable", sentence("core.too_much_waiting")),
  next = () => 0,
}: SemaphoreOptions<Caller>): Semaphore<Caller> {
  interface Waiting {
    caller: Caller
    admit(slot: Disposable): void
  }
  const active: Caller[] = []
  const waiting: Waiting[] = []
  const lastAdmissions = new Map<unknown, number>()
  let admissions = 0

  const countSlots = (person: unknown) => active.filter((each) => getPerson(each) === person).length

  function mayTake(caller: Caller): boolean {
    const isSpare = active.length >= slots()
    if (isSpare && active.length >= slots() + spare) return false
    if (!isSpare && slotsEach === Infinity) return true
    return countSlots(getPerson(caller)) < (isSpare ? 1 : slotsEach)
  }

  function selectByFairness(open: readonly Waiting[]): readonly Waiting[] {
    const people = [...new Set(open.map(({ caller }) => getPerson(caller)))]
    const [next] = people.toSorted(
      (one, other) =>
        countSlots(one) - countSlots(other) ||
        (lastAdmissions.get(one) ?? 0) - (lastAdmissions.get(other) ?? 0),
    )
    return open.filter(({ caller }) => getPerson(caller) === next)
  }

  function admitNext(): void {
    while (active.length < slots() + spare) {
      const open = waiting.filter(({ caller }) => mayTake(caller))
      const candidates = isFair ? selectByFairness(open) : open
      const admitted = candidates[Math.max(next(candidates, active), 0)]
      if (!admitted) return
      if (isFair) lastAdmissions.set(getPerson(admitted.caller), ++admissions)
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

  const countWaiting = (caller: Caller): number =>
    maxWaitingEach < maxWaiting
      ? waiting.filter((other) => getPerson(other.caller) === getPerson(caller)).length
      : 0

  const semaphore: Semaphore<Caller> = {
    async run(signal, caller, work) {
      const slot = await semaphore.acquire(signal, caller)
      return work().finally(() => slot[Symbol.dispose]())
    },
    async acquire(signal, caller) {
      signal.throwIfAborted()
      if (waiting.length === 0 && mayTake(caller)) return take(caller)
      if (waiting.length >= maxWaiting || countWaiting(caller) >= maxWaitingEach) throw tooMany()
      const { promise, resolve, reject } = Promise.withResolvers<Disposable>()
      const entry = { caller, admit: resolve }
      const giveUp = () => {
        const slot = waiting.indexOf(entry)
        if (slot === -1) return // admitted in the meantime
        waiting.splice(slot, 1)
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
