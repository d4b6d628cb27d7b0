import { useRef, useState } from "react"
import type { ConversationSummary } from "../../../shared/contract/conversations.ts"

/** The selected chats by id; null when selection is off. */
export function usePickedChats() {
  const [picked, setPicked] = useState<ReadonlyMap<string, ConversationSummary> | null>(null)
  const last = useRef<string>(undefined)
  const indexById = (chats: readonly ConversationSummary[]) => new Map(chats.map((chat) => [chat.id, chat]))
  return {
    picked,
    begin: () => setPicked(new Map()),
    end: () => setPicked(null),
    pickAll: (chats: readonly ConversationSummary[]) => setPicked(indexById(chats)),
    /** Selects or deselects a listed chat. For a range, all its chats change in the same way. */
    pick(listed: readonly ConversationSummary[], chat: ConversationSummary, isRange: boolean): void {
      const indexOf = (id: string | undefined) => listed.findIndex((one) => one.id === id)
      const to = indexOf(chat.id)
      const from = isRange ? indexOf(last.current) : to
      last.current = chat.id
      const range = from < 0 ? [chat] : listed.slice(Math.min(from, to), Math.max(from, to) + 1)
      setPicked((before) => {
        const next = new Map(before)
        for (const one of range)
          if (before?.has(chat.id)) next.delete(one.id)
          else next.set(one.id, one)
        return next
      })
    },
  }
}
