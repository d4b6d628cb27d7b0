import { WebSocket } from "ws"
import type { SocketMessage } from "../../shared/contract/socket.ts"

/** The open WebSockets of each user. */
export interface ConnectedApps {
  add(userId: string, socket: WebSocket): void
  /** Sends to one user's apps; answers how many got it. */
  sendTo(userId: string, message: SocketMessage): number
  /** Sends to the apps of some users; null means everyone's. */
  send(userIds: readonly string[] | null, message: SocketMessage): void
}

/** A client that lets this much pile up can't keep up: it is closed with 1013 and catches up over HTTP. */
const longestBacklogBytes = 1_000_000
const tryAgainLater = 1013

export function createConnectedApps(): ConnectedApps {
  const byUser = new Map<string, Set<WebSocket>>()

  function remove(userId: string, socket: WebSocket): void {
    const sockets = byUser.get(userId)
    if (sockets?.delete(socket) === true && sockets.size === 0) byUser.delete(userId)
  }

  function sendText(userId: string, text: string): number {
    let reached = 0
    for (const socket of byUser.get(userId) ?? []) {
      if (socket.readyState !== WebSocket.OPEN) continue
      if (socket.bufferedAmount > longestBacklogBytes) {
        // Nothing more is piled up; `ws` cuts a client that doesn't read on within 30 s.
        remove(userId, socket)
        socket.close(tryAgainLater, "Too slow: catch up over HTTP")
        continue
      }
      socket.send(text)
      reached++
    }
    return reached
  }

  return {
    add(userId, socket) {
      byUser.set(userId, (byUser.get(userId) ?? new Set()).add(socket))
      socket.once("close", () => remove(userId, socket))
    },
    sendTo: (userId, message) => (byUser.has(userId) ? sendText(userId, JSON.stringify(message)) : 0),
    send(userIds, message) {
      const text = JSON.stringify(message)
      for (const userId of userIds ?? [...byUser.keys()]) sendText(userId, text)
    },
  }
}
