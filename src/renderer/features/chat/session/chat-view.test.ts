import { expect, test } from "vitest"
import type { StoredMessage } from "../../../../shared/contract/conversations.ts"
import { shownMessages } from "./chat-view.ts"
import { emptyAnswer } from "./live-answer.ts"

const stored = (id: string, role: "user" | "assistant"): StoredMessage => ({
  id,
  role,
  content: id,
  parts: [{ type: "text", text: id }],
  attachments: null,
  finishReason: null,
  usage: null,
  model: null,
  assistantId: null,
  createdAt: "2026-01-01T00:00:00.000Z",
})
const conversation = [
  stored("q1", "user"),
  stored("a1", "assistant"),
  stored("q2", "user"),
  stored("a2", "assistant"),
]
const keys = (...args: Parameters<typeof shownMessages>) => shownMessages(...args).map(({ key }) => key)

test("shows a question immediately, after the messages it continues", () => {
  const turn = { history: conversation.slice(0, 2), question: "New?", answer: emptyAnswer }
  expect(keys(conversation, turn)).toEqual(["q1", "a1", "question", "answer"])
})

// Catches an answer shown twice: as stored so far, and as it streams.
test("replaces the stored beginning of an answer that is joined after a reload", () => {
  const answer = { ...emptyAnswer, messageId: "a2" }
  const turn = { history: undefined, question: undefined, answer }
  expect(keys(conversation, turn)).toEqual(["q1", "a1", "q2", "a2"])
  expect(shownMessages(conversation, turn).at(-1)?.growing).toBe(true)
})
