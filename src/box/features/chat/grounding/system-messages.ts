import type { ChatMessage } from "../../../../shared/contract/chat.ts"

/** What a caller says to the model itself, wherever it stands. */
export const systemMessages = (messages: readonly ChatMessage[]): string[] =>
  messages.flatMap(({ role, content }) => (role === "system" ? [content] : []))
