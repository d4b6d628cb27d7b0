/** Something that is made when it is first needed, and ended with its owner if it was. */
export interface OnDemand<T> extends AsyncDisposable {
  /** Throws where it is first needed after the end. */
  get(): Promise<T>
}

export function onDemand<T>(make: () => Promise<T>, end: (made: T) => Promise<unknown>): OnDemand<T> {
  let made: Promise<T> | undefined
  let ended = false
  return {
    get() {
      if (!made && ended) return Promise.reject(new Error("It has ended."))
      return (made ??= make())
    },
    async [Symbol.asyncDispose]() {
      ended = true
      if (made) await end(await made)
    },
  }
}
