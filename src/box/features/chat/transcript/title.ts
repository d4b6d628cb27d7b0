import type { ChatMessage } from "../../../../shared/contract/chat.ts"

const maxTitleLength = 80

/** Returns the first line of the first user message, cut to 80 characters. */
export function firstTitle(messages: readonly ChatMessage[]): string {
  for (const { role, content } of messages) {
    const line =
      role === "user" ? content.split(/[\r\n\u2028\u2029]/).find((text) => text.trim() !== "") : undefined
    if (line !== undefined) return Array.from(line.trim()).slice(0, maxTitleLength).join("").trimEnd()
  }
  return "New conversation"
}
