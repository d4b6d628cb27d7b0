import type { WaitsFor } from "../../../shared/contract/queue.ts"

interface Wait {
  ownerId: string
  chatId: string
  for: WaitsFor
  /** On the clock of `performance.now`. */
  since: number
}

/** What the first question of each chat waits for. */
export function createWaits() {
  const waits = new Map<string, Wait>()
  const keyOf = (ownerId: string, chatId: string) => `${ownerId}/${chatId}`
  const find = (ownerId: string, chatId: string) => waits.get(keyOf(ownerId, chatId))

  return {
    of: (ownerId: string, chatId: string): WaitsFor | null => find(ownerId, chatId)?.for ?? null,

    /** Notes what it waits for from now on, "nothing" where it doesn't go on by itself; whether that has changed. */
    note(ownerId: string, chatId: string, what: WaitsFor | "nothing"): boolean {
      if (what === find(ownerId, chatId)?.for) return false
      if (what === "nothing") waits.delete(keyOf(ownerId, chatId))
      else waits.set(keyOf(ownerId, chatId), { ownerId, chatId, for: what, since: performance.now() })
      return true
    },

    /** Whether it has waited for this for longer than `ms`. */
    longerThan(ms: number, ownerId: string, chatId: string, what: WaitsFor): boolean {
      const wait = find(ownerId, chatId)
      return wait?.for === what && performance.now() - wait.since > ms
    },

    /** Chats whose first question waits for it. */
    chatsWaitingFor: (what: WaitsFor): Pick<Wait, "ownerId" | "chatId">[] =>
      [...waits.values()].filter((wait) => wait.for === what),
  }
}
