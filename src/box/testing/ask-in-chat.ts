import type { Client } from "../../shared/client/http-client.ts"
import type { ChatEvent } from "../../shared/contract/chat.ts"
import type { TestBox } from "./test-box.ts"

export interface AskedInChat {
  id: string
  content: string
  attachments?: string[]
  modelId?: string
  vector?: string[]
  assistantId?: string
  /** Number of chat messages to keep. Default: all. */
  kept?: number
  /** The client that asks. Default: the owner. */
  client?: Client
}

/** Asks a question in a stored chat, and returns the outcome. */
export async function askInChat(
  box: TestBox,
  { content, kept, client = box.client, ...question }: AskedInChat,
): Promise<{ text: string; notices: string[]; error: ChatEvent | undefined }> {
  const earlier = await box.client.conversations.read({ params: { id: question.id } }).then(
    ({ chat }) => chat.messages.map((message) => ({ role: message.role, content: message.content })),
    () => [],
  )
  const messages = [...earlier.slice(0, kept), { role: "user" as const, content }]
  const events: ChatEvent[] = []
  for await (const event of client.chat.send({ body: { messages, boxAddress: box.url, ...question } }))
    events.push(event)
  return {
    text: events.flatMap((event) => (event.type === "text-delta" ? event.textDelta : [])).join(""),
    notices: events.flatMap((event) => (event.type === "notice" ? event.code : [])),
    error: events.find((event) => event.type === "error"),
  }
}
