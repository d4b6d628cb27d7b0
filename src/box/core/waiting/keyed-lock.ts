import { DatabaseBusy } from "../database/database.ts"

/**
 * Runs tasks of the same key one after another, in the order they came; tasks of different keys run together. A task that
 * another program's lock on the database ends takes those that waited behind it with it: else each would wait as long again.
 */
export interface KeyedLock {
  run<T>(key: string, task: () => Promise<T>): Promise<T>
}

export function createKeyedLock(): KeyedLock {
  const last = new Map<string, Promise<void>>()
  return {
    async run(key, task) {
      const before = last.get(key) ?? Promise.resolve()
      const turn = before.then(task)
      const settled = turn.then(
        () => undefined,
        (error: unknown) => {
          if (error instanceof DatabaseBusy) throw error
        },
      )
      last.set(key, settled)
      try {
        return await turn
      } finally {
        await settled.catch(() => undefined)
        if (last.get(key) === settled) last.delete(key)
      }
    },
  }
}
