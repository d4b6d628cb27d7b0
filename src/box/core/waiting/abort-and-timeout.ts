/**
 * Reactions to an aborted signal: `unless…` functions throw the signal's reason, `until…` functions return undefined. Both only stop
 * waiting: the work continues, unless it listens to the signal too.
 */

/** Settles like the work; throws the signal's reason when it is aborted. */
export async function unlessAborted<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return work
  const result = await untilAborted(
    work.then((value) => ({ value })),
    signal,
  )
  if (result) return result.value
  throw signal.reason
}

/** Settles like the work, or with undefined when the signal is aborted. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const { promise: aborted, resolve } = Promise.withResolvers<undefined>()
  const stop = () => resolve(undefined)
  signal.addEventListener("abort", stop)
  if (signal.aborted) stop()
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener("abort", stop)
  }
}

/** Returns a signal that is aborted with either of them; the first is optional. */
export const eitherSignal = (one: AbortSignal | null | undefined, other: AbortSignal): AbortSignal =>
  one ? AbortSignal.any([one, other]) : other

/** Node.js fires a timer at once if it is set for longer. */
export const maxTimerMs = 2 ** 31 - 1

/** A limit is measured in this many steps. */
const limitSteps = 10

/**
 * Calls `late` after the limit. A pause of this process, such as that of a sleeping computer, counts as one step, because Node.js runs timers
 * before it reads what arrived during the pause.
 */
function startLimit(limitMs: number, late: () => void, { isRef = true } = {}) {
  let left = limitSteps
  let timer: NodeJS.Timeout | undefined
  const wait = () => {
    timer = setTimeout(() => (--left > 0 ? wait() : late()), limitMs / limitSteps)
    if (!isRef) timer.unref()
  }
  wait()
  return {
    restart() {
      left = limitSteps
      timer?.refresh()
    },
    cancel: () => clearTimeout(timer),
  }
}

/**
 * Like `AbortSignal.timeout`, except that a pause counts as one step. Its timer continues after the work has ended: use `withTimeout` for work
 * that is frequent.
 */
export function abortAfter(limitMs: number): AbortSignal {
  const ending = new AbortController()
  const abort = () => ending.abort(new DOMException(`It took more than ${limitMs} ms.`, "TimeoutError"))
  startLimit(limitMs, abort, { isRef: false })
  return ending.signal
}

/** Settles like the work, or with undefined if that takes longer. The work itself continues. */
export async function waitAtMost<T>(limitMs: number, work: Promise<T>): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>()
  const limit = startLimit(limitMs, () => resolve(undefined))
  try {
    return await Promise.race([work, late])
  } finally {
    limit.cancel()
  }
}

/** Settles like the work; throws `late` after the limit, and the signal's reason when it is aborted. The work itself continues. */
export async function withTimeout<T>(
  limitMs: number,
  work: Promise<T>,
  late: () => Error,
  signal?: AbortSignal,
): Promise<T> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>()
  const limit = startLimit(limitMs, () => reject(late()))
  try {
    return await unlessAborted(Promise.race([work, tooLate]), signal)
  } finally {
    limit.cancel()
  }
}

export interface SilenceLimit {
  /** Aborted by the caller's own signal, with `reason` if nothing was heard for too long, and by `stop`. */
  readonly signal: AbortSignal
  recordActivity(): void
  /** Also closes a connection that wasn't read to its end. */
  stop(): void
}

/** For work of any length that has to show progress. */
export function limitSilence(limitMs: number, reason: () => Error, signal?: AbortSignal): SilenceLimit {
  const ending = new AbortController()
  const silence = startLimit(limitMs, () => ending.abort(reason()))
  return {
    signal: eitherSignal(signal, ending.signal),
    recordActivity: silence.restart,
    stop() {
      silence.cancel()
      ending.abort()
    },
  }
}
