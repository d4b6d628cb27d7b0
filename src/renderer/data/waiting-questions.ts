import { useSyncExternalStore } from "react"
import { createWaitingStore, type WaitingStore } from "./waiting-store.ts"

/** Questions that aren't asked yet, of all chats. They outlive the window; other windows see them too. */
export const waitingQuestions: WaitingStore = createWaitingStore(localStorage)

window.addEventListener("storage", ({ key }) => waitingQuestions.onStorage(key))

/** A chat's waiting questions and what keeps them. */
export const useWaitingQuestions = (chatId: string) =>
  useSyncExternalStore(waitingQuestions.subscribe, () => waitingQuestions.get(chatId))

/** Chats with questions that wait. */
export const useWaitingChats = () => useSyncExternalStore(waitingQuestions.subscribe, waitingQuestions.chats)
