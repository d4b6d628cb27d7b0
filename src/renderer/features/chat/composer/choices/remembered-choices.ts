import type { Reading } from "../../../../../shared/contract/chat.ts"
import { useRemembered } from "../../../../lib/remembered.ts"

/** Chats in which a choice was made, latest last. */
type ChatReadings = readonly (readonly [chatId: string, reading: Reading])[]

/** Maximum number of chats whose choice is remembered. */
const maxKept = 200
const none: ChatReadings = []
const readings: readonly unknown[] = ["auto", "passages", "whole"] satisfies Reading[]

const isReadings = (value: unknown): value is ChatReadings =>
  Array.isArray(value) && value.every((entry) => Array.isArray(entry) && readings.includes(entry[1]))

export const getReading = (all: ChatReadings, chatId: string): Reading =>
  all.find(([id]) => id === chatId)?.[1] ?? "auto"

/** Adds a chat's choice. The default isn't stored. */
export function updateReading(all: ChatReadings, chatId: string, reading: Reading): ChatReadings {
  const others = all.filter(([id]) => id !== chatId)
  return reading === "auto" ? others : [...others, [chatId, reading] as const].slice(-maxKept)
}

/** How much is read for a chat's next question, and a function to change it. */
export function useReading(chatId: string): [Reading, (reading: Reading) => void] {
  const [all, remember] = useRemembered("chat-readings", none, isReadings)
  return [getReading(all, chatId), (reading) => remember(updateReading(all, chatId, reading))]
}

const key = "last-folders"

/** Returns the folders of the last question on this computer. Before the first question, returns the folder if there is only one. */
export function usualFolders(folders: readonly { id: string }[] = []): string[] {
  const stored = localStorage.getItem(key)
  if (stored === null) return folders.length === 1 ? folders.map(({ id }) => id) : []
  return stored.split(" ").filter((id) => id !== "")
}

export function rememberFolders(folderIds: readonly string[]): void {
  localStorage.setItem(key, folderIds.join(" "))
}
