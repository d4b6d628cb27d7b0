import { AppError } from "../../shared/contract/app-error.ts"
import { sentence } from "../../shared/sentences/sentences.ts"

/** Creates a value at its first use and keeps it: for values that take long to create and aren't needed at the start. */
export function lazy<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}

/** Creates a value when it is first needed, retries after a failure, and disposes of the value with its owner. */
export interface OnDemand<T> extends AsyncDisposable {
  /** Throws `unavailable` if it is first needed after disposal. */
  get(): Promise<T>
}

export function onDemand<T>(make: () => Promise<T>, end: (made: T) => Promise<unknown>): OnDemand<T> {
  let made: Promise<T> | undefined
  let ended = false
  return {
    get() {
      if (!made && ended) return Promise.reject(new AppError("unavailable", sentence("core.stopping")))
      made ??= make().catch((error: unknown) => {
        made = undefined // the next call retries
        throw error
      })
      return made
    },
    async [Symbol.asyncDispose]() {
      ended = true
      const settled = made && (await made.then((value) => ({ value })).catch(() => undefined))
      if (settled) await end(settled.value)
    },
  }
}
