import { useSyncExternalStore } from "react"
import { connectSocket, type SocketState } from "../../shared/client/socket-client.ts"
import type { SocketMessage } from "../../shared/contract/socket.ts"
import { boxAddress } from "../lib/box.ts"
import { refreshConversation } from "./conversations.ts"
import { applyFileMessages, refreshFiles, type FileMessage } from "./files.ts"
import { refreshFolder } from "./folders.ts"
import { applyDownloadMessage, applyModelMessage } from "./models.ts"
import { applyNotificationMessage, followArrivals, refreshNotifications } from "./notifications.ts"
import { queryClient, sessionKey } from "./query-client.ts"

/** How often news of one kind is handled, and how often lists are read again because of it. */
const flushMs = 200
const refreshMs = 1000

let state: SocketState = "connecting"
const listeners = new Set<() => void>()

function setState(next: SocketState): void {
  state = next
  for (const listener of listeners) listener()
}

/** News of one kind about many things, handled together at most once in `everyMs` however fast it comes. */
function batched<T>(everyMs: number, handle: (items: T[]) => void): (item: T) => void {
  let waiting: T[] = []
  return (item) => {
    if (waiting.push(item) > 1) return
    setTimeout(() => {
      const items = waiting
      waiting = []
      handle(items)
    }, everyMs)
  }
}

const refreshFilesSoon = batched(refreshMs, (ids: string[]) => {
  for (const id of new Set(ids)) void refreshFiles(id)
})

const onFile = batched(flushMs, (messages: FileMessage[]) => {
  for (const [folderId, group] of Map.groupBy(messages, (message) => message.vectorId))
    if (applyFileMessages(folderId, group)) refreshFilesSoon(folderId)
})

const onFolder = batched(refreshMs, (ids: string[]) => {
  for (const id of new Set(ids)) void refreshFolder(id)
})

const onChat = batched(flushMs, (ids: string[]) => {
  for (const id of new Set(ids)) void refreshConversation(id)
})

const onFeed = batched(refreshMs, () => void refreshNotifications())

function onMessage(message: SocketMessage): void {
  if (message.type === "file" || message.type === "file.deleted") onFile(message)
  else if (message.type === "folder") onFolder(message.vectorId)
  else if (message.type === "chat") onChat(message.chatId)
  else if (message.type === "model") applyModelMessage(message)
  else if (message.type === "model.download") applyDownloadMessage(message)
  else applyNotificationMessage(message)
  if (message.type === "unread") onFeed(message)
}

/** Keeps what the page shows current until the returned function is called. */
export function startLiveUpdates(): () => void {
  let opened = false
  const arrivals = followArrivals()
  const socket = connectSocket({
    baseUrl: boxAddress(),
    onMessage: (message) => {
      onMessage(message)
      arrivals.onMessage(message)
    },
    onState: (next) => {
      setState(next)
      arrivals.onState(next)
      if (next === "open") {
        if (opened) void queryClient.invalidateQueries()
        opened = true
      }
      if (next === "closed") void queryClient.invalidateQueries({ queryKey: sessionKey })
    },
  })
  return () => socket.close()
}

export function useConnectionState(): SocketState {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => state,
  )
}
