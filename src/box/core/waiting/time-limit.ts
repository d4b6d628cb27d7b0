import { eitherSignal, unlessAborted } from "./abort.ts"

/** Node.js calls back at once if a timer is set for longer. */
export const maxTimerMs = 2 ** 31 - 1

/** Settles as the work does, or with undefined when that takes longer. The work itself goes on. */
export async function waitAtMost<T>(limitMs: number, work: Promise<T>): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => resolve(undefined), limitMs)
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Settles as the work does; throws `late` past the limit, and the signal's reason once it is aborted. The work itself goes on. */
export async function withTimeout<T>(
  limitMs: number,
  work: Promise<T>,
  late: () => Error,
  signal?: AbortSignal,
): Promise<T> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(late()), limitMs)
  try {
    return await unlessAborted(Promise.race([work, tooLate]), signal)
  } finally {
    clearTimeout(timer)
  }
}

export interface SilenceLimit {
  /** Aborted with the caller's own signal, with the reason when nothing was heard for too long, and by `stop`. */
  readonly signal: AbortSignal
  heard(): void
  /** Also closes a connection that wasn't read to its end. */
  stop(): void
}

/** For work of any length that has to show that it goes on. */
export function limitSilence(limitMs: number, reason: () => Error, signal?: AbortSignal): SilenceLimit {
  const ending = new AbortController()
  const timer = setTimeout(() => ending.abort(reason()), limitMs)
  return {
    signal: eitherSignal(signal, ending.signal),
    heard: () => void timer.refresh(),
    stop() {
      clearTimeout(timer)
      ending.abort()
    },
  }
}
