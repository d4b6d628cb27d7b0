import { useSyncExternalStore } from "react"
import { connectSocket, type SocketClient, type SocketState } from "../../shared/client/socket-client.ts"
import { socketProtocols } from "../../shared/contract/session.ts"
import type { SocketMessage } from "../../shared/contract/socket.ts"
import { boxAddress } from "../lib/box.ts"
import { sessionSecret } from "../lib/browser/sign-in-storage.ts"
import { refreshAssistants } from "./assistants.ts"
import { refreshAwaitedFiles } from "./chats/reading.ts"
import { refreshConversation, refreshActivity } from "./chats/conversations.ts"
import { isOutdated } from "./session.ts"
import { refreshHasAutomations } from "./has-automations.ts"
import { applyFileMessages, refreshFiles, type FileMessage } from "./folders/files.ts"
import { refreshFolder } from "./folders/folders.ts"
import { applyDownloadMessage, applyModelMessage } from "./models/models.ts"
import { applyNotificationMessage, followArrivals, refreshNotifications, trimFeeds } from "./notifications.ts"
import { refreshChatQueues } from "./chats/queue.ts"
import { queryClient, sessionKey } from "./query-client.ts"
import { refreshProjects } from "./projects.ts"
import { refreshSettings } from "./settings.ts"
import { refreshReports } from "./support.ts"

/** How often news of one kind is handled, and how often lists are reloaded because of it. */
const flushMs = 200
const refreshMs = 1000

/** A shorter interruption, such as a restart of the box, isn't shown. */
const lostAfterMs = 1500

export interface Connection {
  /** Disconnected for longer than a moment. */
  lost: boolean
  /** Whether an attempt to reconnect is in progress. */
  trying: boolean
}

let connection: Connection = { lost: false, trying: true }
let socket: SocketClient | undefined
/** The user whose news the page has received so far. */
let person: string | undefined
/** Whether the box has sent `hello` since the page was opened. */
let hasReceivedHello = false
const listeners = new Set<() => void>()

function setConnection(next: Connection): void {
  connection = next
  for (const listener of listeners) listener()
}

/** Collects news of one kind and handles it together, at most once per `everyMs`. */
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
  void refreshAwaitedFiles()
})

const onFile = batched(flushMs, (messages: FileMessage[]) => {
  for (const [folderId, group] of Map.groupBy(messages, (message) => message.vectorId))
    if (applyFileMessages(folderId, group)) refreshFilesSoon(folderId)
})

const onFolder = batched(refreshMs, (ids: string[]) => {
  for (const id of new Set(ids)) void refreshFolder(id)
  void refreshAwaitedFiles()
})

const onChat = batched(flushMs, (ids: string[]) => {
  void refreshActivity()
  for (const id of new Set(ids)) void refreshConversation(id)
})

const onQueue = (chatId: string) => {
  onChat(chatId) // reload together with the chat's other news, because a question moves from the queue to the chat
  void refreshChatQueues()
}

const onProjects = batched(flushMs, () => void refreshProjects())

const onAssistants = batched(flushMs, () => void refreshAssistants())

// A failed reload is repeated with the next news about automations.
const onAutomations = batched(refreshMs, () => void refreshHasAutomations().catch(() => undefined))

const onFeed = batched(refreshMs, () => void refreshNotifications())

/** Another tab may have signed in a different user, whose data this tab must not show. */
function reloadForOther(userId: string): void {
  if (person !== undefined && person !== userId) window.location.reload()
  person = userId
}

function onHello({ userId, news }: Extract<SocketMessage, { type: "hello" }>): void {
  reloadForOther(userId)
  if (!hasReceivedHello && isOutdated(news)) refreshEverything()
  hasReceivedHello = true
}

function onMessage(message: SocketMessage): void {
  if (message.type === "file" || message.type === "file.deleted") onFile(message)
  else if (message.type === "folder") onFolder(message.vectorId)
  else if (message.type === "chat" || message.type === "approval") onChat(message.chatId)
  else if (message.type === "queue") onQueue(message.chatId)
  else if (message.type === "projects") onProjects(message)
  else if (message.type === "assistants") onAssistants(message)
  else if (message.type === "automations") onAutomations(message)
  else if (message.type === "support") void refreshReports()
  else if (message.type === "settings") void refreshSettings()
  else if (message.type === "model") applyModelMessage(message)
  else if (message.type === "model.download") applyDownloadMessage(message)
  else applyNotificationMessage(message)
  if (message.type === "hello") onHello(message)
  if (message.type === "unread") onFeed(message)
}

/** Keeps the page up to date until the returned function is called. */
export function startLiveUpdates(): () => void {
  let opened = false
  let stopped = false
  let losing: ReturnType<typeof setTimeout> | undefined
  const arrivals = followArrivals()

  function onState(state: SocketState): void {
    if (stopped) return // a socket may report that it closed after another has replaced it
    arrivals.onState(state)
    if (state === "open") {
      clearTimeout(losing)
      losing = undefined
      if (opened) refreshEverything()
      opened = true
    } else {
      losing ??= setTimeout(() => setConnection({ ...connection, lost: true }), lostAfterMs)
    }
    if (state === "closed") void queryClient.invalidateQueries({ queryKey: sessionKey })
    setConnection({ lost: state !== "open" && connection.lost, trying: state === "connecting" })
  }

  const current = connectSocket({
    baseUrl: boxAddress(),
    open: (url) => new WebSocket(url, socketProtocols(sessionSecret())),
    onMessage: (message) => {
      onMessage(message)
      arrivals.onMessage(message)
    },
    onState,
  })
  socket = current
  // Timers pause while the computer or a hidden tab sleeps, so reconnect immediately on return.
  window.addEventListener("online", reconnectNow)
  window.addEventListener("focus", reconnectNow)
  return () => {
    stopped = true
    window.removeEventListener("online", reconnectNow)
    window.removeEventListener("focus", reconnectNow)
    current.close()
    clearTimeout(losing)
    if (socket === current) socket = undefined
  }
}

function refreshEverything(): void {
  trimFeeds() // otherwise all pages of a long list would be reloaded
  void queryClient.invalidateQueries()
}

/** Tries to reconnect to the box immediately. */
export const reconnectNow = (): void => socket?.reconnect()

/** The state of the live connection to the box. */
export function useConnection(): Connection {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => connection,
  )
}
