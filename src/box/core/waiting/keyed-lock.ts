import { DatabaseBusy } from "../database/database.ts"

/**
 * Runs tasks with the same key one after another, in order of arrival; tasks with different keys run concurrently. If another program's
 * lock on the database ends a task, those that waited behind it are rejected too: otherwise each would wait as long again.
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
