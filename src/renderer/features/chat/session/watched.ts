export interface Watched<T> {
  get(this: void): T
  set(this: void, value: T): void
  /** Returns a function that ends the subscription. */
  subscribe(this: void, listener: () => void): () => void
}

/** Creates a value that notifies its listeners of changes when `schedule` runs, once for all changes made until then. */
export function createWatched<T>(first: T, schedule: (notify: () => void) => void): Watched<T> {
  const listeners = new Set<() => void>()
  let value = first
  let scheduled = false
  return {
    get: () => value,
    set(next) {
      value = next
      if (scheduled) return
      scheduled = true
      schedule(() => {
        scheduled = false
        for (const listener of listeners) listener()
      })
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
