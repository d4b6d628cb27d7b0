import type { Push } from "../core/push.ts"

/** What the box would send to connected apps. */
export interface Pushes {
  push: Push
  /** Returns how to stop listening. */
  listen(listener: Push): () => void
}

export function createPushes(): Pushes {
  const listeners = new Set<Push>()
  return {
    push(userIds, message) {
      for (const listener of listeners) listener(userIds, message)
    },
    listen(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
