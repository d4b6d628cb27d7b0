export interface Watched<T> {
  get(this: void): T
  set(this: void, value: T): void
  /** Returns how to stop listening. */
  subscribe(this: void, listener: () => void): () => void
}

/** A value whose listeners hear of its changes when `schedule` says, once for all that were made until then. */
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
