import { WebSocket } from "ws"
import type { SocketMessage } from "../../shared/contract/socket.ts"
import { createSlices, type Slices } from "./answers/slices.ts"

/** The open WebSockets of each user. */
export interface ConnectedApps {
  add(userId: string, socket: WebSocket): void
  /** Whether the user has an open WebSocket. */
  has(userId: string): boolean
  /** Sends to one user's apps and returns how many receive it. */
  sendTo(userId: string, message: SocketMessage): number
  /** Sends to the apps of some users; null means all users. */
  send(userIds: readonly string[] | null, message: SocketMessage): void
  /** Number of open WebSockets. */
  count(): number
  /** Number of messages for the user since the box started, whether or not an app was connected. */
  told(userId: string): number
}

/**
 * Maximum backlog of a client, in addition to the system's buffers. A client that exceeds it can't keep up: it is closed with 1013 and
 * catches up over HTTP.
 */
const maxBacklogBytes = 64_000
/** Maximum pending messages for all clients together, which may be thousands of apps. */
const maxUnsent = 1_000
const tryAgainLater = 1013

interface App {
  userId: string
  socket: WebSocket
}

export function createConnectedApps(slices: Slices = createSlices()): ConnectedApps {
  const byUser = new Map<string, Set<App>>()
  const notifiedByUser = new Map<string, number>()
  let notifiedAll = 0

  function remove(app: App): void {
    const apps = byUser.get(app.userId)
    if (apps?.delete(app) === true && apps.size === 0) byUser.delete(app.userId)
  }

  /** Stops queuing messages. `ws` disconnects a client that doesn't read within 30 s. */
  function drop(app: App): void {
    remove(app)
    app.socket.close(tryAgainLater, "Too slow: catch up over HTTP")
  }

  function* write(apps: readonly App[], data: Buffer): Generator<void, void> {
    for (const app of apps) {
      if (app.socket.readyState !== WebSocket.OPEN) continue
      if (slices.waiting > maxUnsent) drop(app)
      else app.socket.send(data, { binary: false })
      yield
    }
  }

  /** Returns how many apps will receive the message. They are written to in turn, because writing to thousands takes a while. */
  function deliver(apps: readonly App[], message: SocketMessage): number {
    const open = apps.filter(({ socket }) => socket.readyState === WebSocket.OPEN)
    const isSlow = ({ socket }: App) => socket.bufferedAmount > maxBacklogBytes
    open.filter(isSlow).forEach(drop)
    const able = open.filter(({ socket }) => socket.readyState === WebSocket.OPEN)
    if (able.length > 0) slices.add(write(able, Buffer.from(JSON.stringify(message))))
    return able.length
  }

  function count(userIds: readonly string[] | null): void {
    if (userIds === null) notifiedAll++
    else for (const userId of userIds) notifiedByUser.set(userId, (notifiedByUser.get(userId) ?? 0) + 1)
  }

  const getApps = (userId: string): App[] => [...(byUser.get(userId) ?? [])]

  return {
    add(userId, socket) {
      const app = { userId, socket }
      byUser.set(userId, (byUser.get(userId) ?? new Set()).add(app))
      socket.once("close", () => remove(app))
    },
    has: (userId) => getApps(userId).some(({ socket }) => socket.readyState === WebSocket.OPEN),
    sendTo(userId, message) {
      count([userId])
      return deliver(getApps(userId), message)
    },
    count: () => [...byUser.values()].reduce((sum, apps) => sum + apps.size, 0),
    told: (userId) => notifiedAll + (notifiedByUser.get(userId) ?? 0),
    send(userIds, message) {
      count(userIds)
      deliver((userIds ?? [...byUser.keys()]).flatMap(getApps), message)
    },
  }
}
