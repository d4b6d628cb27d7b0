import type { ChatMessage } from "../../../../shared/contract/chat.ts"

/** Returns the caller's system messages, wherever they are in the list. */
export const systemMessages = (messages: readonly ChatMessage[]): string[] =>
  messages.flatMap(({ role, content }) => (role === "system" ? [content] : []))
