import { AppError } from "../../shared/contract/app-error.ts"
import { sentence } from "../../shared/sentences/sentences.ts"

/** Something that is made when it is first needed, or needed again after that failed, and ended with its owner if it was. */
export interface OnDemand<T> extends AsyncDisposable {
  /** Throws `unavailable` where it is first needed after the end. */
  get(): Promise<T>
}

export function onDemand<T>(make: () => Promise<T>, end: (made: T) => Promise<unknown>): OnDemand<T> {
  let made: Promise<T> | undefined
  let ended = false
  return {
    get() {
      if (!made && ended) return Promise.reject(new AppError("unavailable", sentence("core.stopping")))
      made ??= make().catch((error: unknown) => {
        made = undefined // whoever needs it next tries again
        throw error
      })
      return made
    },
    async [Symbol.asyncDispose]() {
      ended = true
      const there = made && (await made.then((value) => ({ value })).catch(() => undefined))
      if (there) await end(there.value)
    },
  }
}
