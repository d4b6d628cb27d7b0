import type { SocketMessage } from "../../shared/contract/socket.ts"
import type { Push } from "../core/event-bus.ts"

/** A message and the users whose apps would receive it. */
interface Sent {
  userIds: readonly string[] | null
  message: SocketMessage
}

/** Records what the box would send to connected apps. */
export interface Pushes {
  push: Push
  /** Returns a function that removes the listener. */
  listen(listener: Push): () => void
  /** Settles with the first push that `matches` accepts, including earlier ones. */
  pushed(matches: (push: Sent) => boolean): Promise<Sent>
}

export function createPushes(): Pushes {
  const listeners = new Set<Push>()
  const sent: Sent[] = []
  function listen(listener: Push) {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  return {
    listen,
    push(userIds, message) {
      sent.push({ userIds, message })
      for (const listener of listeners) listener(userIds, message)
    },
    pushed: (matches) =>
      new Promise((resolve) => {
        const seen = sent.find(matches)
        if (seen) return resolve(seen)
        const stop = listen((userIds, message) => {
          if (!matches({ userIds, message })) return
          stop()
          resolve({ userIds, message })
        })
      }),
  }
}
