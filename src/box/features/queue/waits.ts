import type { WaitsFor } from "../../../shared/contract/queue.ts"

interface Wait {
  ownerId: string
  chatId: string
  for: WaitsFor
  /** In the time of `performance.now`. */
  since: number
}

/** The reason why the first question of each chat waits. */
export function createWaits() {
  const waits = new Map<string, Wait>()
  const getKey = (ownerId: string, chatId: string) => `${ownerId}/${chatId}`
  const find = (ownerId: string, chatId: string) => waits.get(getKey(ownerId, chatId))

  return {
    of: (ownerId: string, chatId: string): WaitsFor | null => find(ownerId, chatId)?.for ?? null,

    /** Records what the question waits for from now on, "nothing" if it can't continue by itself. Returns whether that has changed. */
    note(ownerId: string, chatId: string, what: WaitsFor | "nothing"): boolean {
      if (what === find(ownerId, chatId)?.for) return false
      if (what === "nothing") waits.delete(getKey(ownerId, chatId))
      else waits.set(getKey(ownerId, chatId), { ownerId, chatId, for: what, since: performance.now() })
      return true
    },

    /** Whether the question has waited for this for more than `ms` milliseconds. */
    longerThan(ms: number, ownerId: string, chatId: string, what: WaitsFor): boolean {
      const wait = find(ownerId, chatId)
      return wait?.for === what && performance.now() - wait.since > ms
    },

    /** Chats whose first question waits for this. */
    chatsWaitingFor: (what: WaitsFor): Pick<Wait, "ownerId" | "chatId">[] =>
      [...waits.values()].filter((wait) => wait.for === what),
  }
}
