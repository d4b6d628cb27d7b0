/**
 * What a caller does about a signal. `unless…` throws the signal's reason, `until…` answers undefined. Both only stop
 * waiting: the work itself goes on, unless it listens to the signal too.
 */

/** Settles as the work does; throws the signal's reason once it is aborted. */
export async function unlessAborted<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return work
  const result = await untilAborted(
    work.then((value) => ({ value })),
    signal,
  )
  if (result) return result.value
  throw signal.reason
}

/** Settles as the work does, or with undefined once the signal is aborted. */
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

/** Aborted with either of them; a caller may have none. */
export const eitherSignal = (one: AbortSignal | null | undefined, other: AbortSignal): AbortSignal =>
  one ? AbortSignal.any([one, other]) : other
