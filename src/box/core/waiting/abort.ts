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
