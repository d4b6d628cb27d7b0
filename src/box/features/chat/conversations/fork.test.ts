import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest"
import { AppError } from "../../../../shared/contract/errors.ts"
import {
  type ChatServer,
  startChatServer,
  startTestEngine,
  type TestEngine,
} from "../../../testing/chat-server.ts"
import { numbered } from "./fork.ts"

const boxAddress = "http://127.0.0.1:8484"
let model: TestEngine
let server: ChatServer
beforeAll(() => {
  model = startTestEngine()
})
afterAll(() => model.engine[Symbol.asyncDispose]())
beforeEach(async () => {
  server = await startChatServer({ engine: model.engine })
})
afterEach(() => server[Symbol.asyncDispose]())

const client = (user = "alice") => server.getClient(user)
const read = async (id: string) => (await client().conversations.read({ params: { id } })).chat
const fork = async (id: string, body: { messageId: string; title?: string }, user = "alice") =>
  (await client(user).conversations.fork({ params: { id }, body })).chat
const getCode = (promise: Promise<unknown>) =>
  promise.then(
    () => "none",
    (error: unknown) => (error instanceof AppError ? error.code : error),
  )

async function say(id: string, content: string): Promise<void> {
  const history = await read(id).then(
    ({ messages }) => messages.map(({ role, content }) => ({ role, content })),
    () => [],
  )
  const messages = [...history, { role: "user" as const, content }]
  for await (const event of client().chat.send({ body: { id, messages, boxAddress } }))
    if (event.type === "finish") return
}

// Catches messages that are missing, shared with the original chat or out of order, and a fork that changes the original.
test("a fork starts with everything up to the answer and continues independently", async () => {
  for (const text of ["One.", "Two.", "Three."]) await say("c1", text)
  const before = await read("c1")
  const answer = before.messages[3]
  const { id, title, messageCount } = await fork("c1", { messageId: answer?.id ?? "" })
  expect([title, messageCount]).toEqual(["One. (2)", 4])
  const forked = await read(id)
  const kept = ({ role, content, parts, usage, model: by }: (typeof forked.messages)[number]) => [
    role,
    content,
    parts,
    usage,
    by,
  ]
  expect(forked.messages.map(kept)).toEqual(before.messages.slice(0, 4).map(kept))
  const ids = new Set(before.messages.map((message) => message.id))
  expect(forked.messages.filter((message) => ids.has(message.id))).toEqual([])
  await say(id, "Four.")
  expect((await read(id)).messages.map(({ content }) => content)).toContain("Four.")
  await client().conversations.remove({ params: { id: "c1" } })
  expect((await read(id)).messages).toHaveLength(6)
})

// Catches a fork of an answer that is unfinished, doesn't exist or belongs to someone else.
test("only a finished answer of one's own chat can be forked", async () => {
  await say("c1", "One.")
  const [question, answer] = (await read("c1")).messages
  expect(await getCode(fork("c1", { messageId: question?.id ?? "" }))).toBe("validation")
  expect(await getCode(fork("c2", { messageId: answer?.id ?? "" }))).toBe("not_found")
  expect(await getCode(fork("c1", { messageId: answer?.id ?? "" }, "bob"))).toBe("not_found")
  await say("c3", "Other.")
  expect(await getCode(fork("c3", { messageId: answer?.id ?? "" }))).toBe("not_found")
  expect((await client().conversations.list({ query: {} })).chats).toHaveLength(2)
})

// Catches a fork through which content that must stay on this computer is sent to a server.
test("a fork of a chat that must stay on this computer stays there too", async () => {
  await say("c1", "One.")
  await server.database.db
    .updateTable("conversations")
    .set({ staysHere: 1, readVectorIds: '["read"]' })
    .execute()
  const answer = (await read("c1")).messages[1]
  const { id } = await fork("c1", { messageId: answer?.id ?? "", title: "Mine" })
  const row = await server.database.db
    .selectFrom("conversations")
    .select(["title", "staysHere", "readVectorIds"])
    .where("id", "=", id)
    .executeTakeFirst()
  expect(row).toEqual({ title: "Mine", staysHere: 1, readVectorIds: '["read"]' })
})

// Catches "Title (2) (2)", and titles longer than allowed.
test("a fork's title is numbered", () => {
  expect(["A", "A (2)", "A (9)", "(3)"].map(numbered)).toEqual(["A (2)", "A (3)", "A (10)", "(3) (2)"])
  expect(numbered("x".repeat(300)).length).toBeLessThanOrEqual(300)
})
