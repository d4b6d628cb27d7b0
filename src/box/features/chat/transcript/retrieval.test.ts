import { afterEach, beforeEach, expect, test } from "vitest"
import type { Passage } from "../../../../shared/contract/folders.ts"
import { type ChatServer, startChatServer, testPassage } from "../../../testing/chat-server.ts"

const best = testPassage("best", "The opening hours are nine to five.", { score: 0.9 })
const weak = testPassage("weak", "Hours of fun.", { score: 0.2 })
const copy = testPassage("copy", best.text, { score: 0.9 })
const hidden = testPassage("hidden", "Opening hours of a folder that is shared no more.", {
  score: 0.8,
  vectorId: "gone",
})
const below = testPassage("below", "Nothing.", { score: 0.1 })
const toCandidate = ({ id, score, rank }: Passage) => ({ id, score, rank })

let server: ChatServer
beforeEach(async () => {
  server = await startChatServer({
    engine: null,
    folders: ["folder"],
    passages: [best, weak, copy, hidden, below],
    search: () =>
      Promise.resolve({
        results: [best, hidden, weak],
        others: [
          { ...toCandidate(copy), reason: "duplicate" as const },
          { ...toCandidate(below), reason: "below_filter" as const },
          { id: "deleted", score: 0.3, rank: {}, reason: "not_best" as const },
        ],
        strategy: "keyword",
        notices: [],
      }),
  })
})
afterEach(() => server[Symbol.asyncDispose]())

// Catches reasons that contradict the answer, and passages that no longer exist or that the reader may no longer see.
test("shows for each passage whether and why the answer uses it", async () => {
  const client = server.getClient("alice")
  const body = {
    id: "c1",
    messages: [{ role: "user" as const, content: "Which opening hours?" }],
    boxAddress: "http://127.0.0.1:8484",
    vector: ["folder"],
  }
  for await (const event of client.chat.send({ body })) if (event.type === "finish") break
  const { messages } = (await client.conversations.read({ params: { id: "c1" } })).chat
  const [question, answer] = messages.map(({ id }) => id)
  const read = (messageId: string | undefined, user = "alice") =>
    server.getClient(user).conversations.retrieval({ params: { id: "c1", messageId: messageId ?? "" } })

  const { retrieval } = await read(answer)
  expect(retrieval).toMatchObject({ query: "Which opening hours?", strategy: "keyword" })
  expect(retrieval?.candidates.map(({ id, citation, reason }) => [id, citation, reason])).toEqual([
    ["best", 1, "used"],
    ["copy", null, "duplicate"],
    ["weak", null, "not_best"],
    ["below", null, "below_filter"],
  ])
  expect(retrieval?.candidates[0]).toMatchObject({ text: best.text, fileName: "best.md", score: 0.9 })

  expect(await read(question)).toEqual({ retrieval: null })
  await expect(read("none")).rejects.toMatchObject({ code: "not_found" })
  await expect(read(answer, "bob")).rejects.toMatchObject({ code: "not_found" })
  await client.conversations.remove({ params: { id: "c1" } })
  await expect(read(answer)).rejects.toMatchObject({ code: "not_found" })
  await server.endDeletions()
  expect(await server.database.db.selectFrom("retrievals").selectAll().execute()).toEqual([])
})
