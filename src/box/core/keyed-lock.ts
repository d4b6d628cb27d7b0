/** Runs tasks of the same key one after another, in the order they came; tasks of different keys run together. */
export interface KeyedLock {
  run<T>(key: string, task: () => Promise<T>): Promise<T>
}

export function createKeyedLock(): KeyedLock {
  const last = new Map<string, Promise<unknown>>()
  return {
    async run(key, task) {
      const before = last.get(key) ?? Promise.resolve()
      const turn = before.then(task, task)
      const settled = turn.then(
        () => undefined,
        () => undefined,
      )
      last.set(key, settled)
      try {
        return await turn
      } finally {
        if (last.get(key) === settled) last.delete(key)
      }
    },
  }
}
