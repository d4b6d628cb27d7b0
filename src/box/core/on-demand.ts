/** Something that is made when it is first needed, and ended with its owner if it was. */
export interface OnDemand<T> extends AsyncDisposable {
  get(): Promise<T>
}

export function onDemand<T>(make: () => Promise<T>, end: (made: T) => Promise<unknown>): OnDemand<T> {
  let made: Promise<T> | undefined
  return {
    get: () => (made ??= make()),
    async [Symbol.asyncDispose]() {
      if (made) await end(await made)
    },
  }
}
