import { expect, test, vi } from "vitest"
import { mostLookedAt, parseExportedChat } from "./formats.ts"

// Would catch: a chat of 3 MB that keeps the box from everything else for seconds and takes gigabytes, because what is wrong
// with each of its million messages is written down.
test("nobody reads on in a chat one of whose messages is none", () => {
  let looks = 0
  const wrong = () => ({
    get uuid() {
      looks++
      return null
    },
  })
  const parse = vi.spyOn(JSON, "parse")
  const chats = [
    { uuid: "a", chat_messages: Array.from({ length: 1_000 }, wrong) },
    { id: "a", chat: { messages: Array.from({ length: 1_000 }, wrong) } },
  ]
  for (const chat of chats) {
    parse.mockReturnValueOnce(chat)
    parseExportedChat("")
  }
  parse.mockRestore()
  expect(looks).toBeLessThanOrEqual(2)
})

// Would catch: one of millions of messages that are all read before it is refused.
test("of a chat no more messages are read than it is refused for", () => {
  const messages = Array.from({ length: mostLookedAt + 5 }, (_, index) => ({
    uuid: `${index}`,
    sender: "human",
  }))
  const chat = parseExportedChat(JSON.stringify({ uuid: "a", chat_messages: messages }))
  expect(chat?.messages).toHaveLength(mostLookedAt)
})
