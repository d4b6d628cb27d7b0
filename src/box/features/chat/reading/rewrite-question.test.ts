import { once } from "node:events"
import { expect, test } from "vitest"
import type { ChatEvent } from "../../../../shared/contract/chat.ts"
import { silentLogger } from "../../../core/logging/logger.ts"
import { openOutbound } from "../../../core/outbound/testing/open-outbound.ts"
import type { ChatEngine, EngineEvent, GenerateRequest } from "../../../engines/engine.ts"
import { createRemoteEngine } from "../../../engines/remote/remote-engine.ts"
import {
  type ChatServerOptions,
  foundPassages,
  startChatServer,
  testPassage,
} from "../../../testing/chat-server.ts"
import { isRewriting, type Round, startModelServer } from "../../../testing/model-servers/model-server.ts"
import { createRewriter } from "./rewrite-question.ts"

const boxAddress = "http://127.0.0.1:8484"
const user = (content: string) => ({ role: "user" as const, content })
const assistant = (content: string) => ({ role: "assistant" as const, content })
const earlier = [user("What rent does Anna pay?"), assistant("500 euro.")]

/** A chat whose model is on a server. It answers requests to rewrite a question with `rewritten`. */
async function startChat(rewritten: Round, options: Partial<ChatServerOptions> = {}) {
  await using stack = new AsyncDisposableStack()
  const model = stack.use(
    await startModelServer((request) => (isRewriting(request) ? rewritten : { text: "An answer. [1]" })),
  )
  const engine = stack.use(
    createRemoteEngine({ server: { baseUrl: model.baseUrl, outbound: openOutbound() } }),
  )
  const queries: string[] = []
  const server = stack.use(
    await startChatServer({
      engine,
      folders: ["folder"],
      search({ query }) {
        queries.push(query)
        return Promise.resolve(foundPassages([testPassage("p1", "Anna pays 520 euro in 2027.")]))
      },
      ...options,
    }),
  )
  const resources = stack.move()
  const client = server.getClient("alice")
  return {
    queries,
    calls: () => model.requests.filter(isRewriting),
    answers: () => model.requests.filter((request) => !isRewriting(request)),
    async ask(content: string, changes: { rewrite?: "auto" | "off" } = {}) {
      const body = {
        id: "c1",
        messages: [...earlier, user(content)],
        boxAddress,
        vector: ["folder"],
        ...changes,
      }
      const events: ChatEvent[] = []
      for await (const event of client.chat.send({ body })) events.push(event)
      const { messages } = (await client.conversations.read({ params: { id: "c1" } })).chat
      const messageId = messages.at(-1)?.id ?? ""
      const { retrieval } = await client.conversations.retrieval({ params: { id: "c1", messageId } })
      return { events, retrieval }
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

// Catches a follow-up that is searched for without its subject, a rewritten text that reaches the answer, and a call that thinks at length.
test("a follow-up is searched for as the model has rewritten it, and answered as it was asked", async () => {
  await using chat = await startChat({ text: '"Rent of Anna in 2027"\n' })
  const { events, retrieval } = await chat.ask("And in 2027?")
  expect(chat.queries).toEqual(["Rent of Anna in 2027"])
  expect(retrieval).toMatchObject({ query: "Rent of Anna in 2027", querySource: "model" })
  expect(JSON.stringify(events)).not.toContain("Rent of Anna")
  expect(JSON.stringify(chat.answers())).not.toContain("Rent of Anna")
  expect(chat.answers()[0]?.messages.at(-1)?.content).toContain("And in 2027?")
  const [call] = chat.calls()
  expect(call?.messages[1]?.content).toContain("What rent does Anna pay?")
  expect(call).not.toHaveProperty("tools")
  expect(call).toHaveProperty("max_tokens")
})

// Catches a model call before the answer to each question, and one that the request forbids.
test("a new subject, and a follow-up with `off`, are searched for as they are", async () => {
  await using chat = await startChat({ text: "Rent of Anna" })
  const { retrieval } = await chat.ask("When does the lease of the shop end?")
  expect(retrieval).toMatchObject({ query: "When does the lease of the shop end?", querySource: "question" })
  await chat.ask("And in 2027?", { rewrite: "off" })
  expect(chat.queries).toEqual(["When does the lease of the shop end?", "And in 2027?"])
  expect(chat.calls()).toEqual([])
})

// Catches a search for a model's excuse, answer or cut text, and an answer that fails because the question couldn't be rewritten.
test.each<[string, Round]>([
  ["fails", { refusal: { status: 500, message: "broken" } }],
  ["writes something else", { text: "Sorry, no idea." }],
  ["repeats its answer", { text: "500 euro, as agreed." }],
  ["leaves out the year", { text: "Rent of Anna" }],
  ["writes several lines", { text: "Rent of Anna in 2027\nIt is 520 euro." }],
  ["writes nothing", { text: "" }],
  ["is cut", { text: "Rent of Anna in 2027", reason: "length" }],
])("if the model %s, the earlier question is searched for too", async (_, rewritten) => {
  await using chat = await startChat(rewritten)
  const { events, retrieval } = await chat.ask("And in 2027?")
  expect(chat.queries).toEqual(["And in 2027?", "What rent does Anna pay?\nAnd in 2027?"])
  expect(retrieval).toMatchObject({ querySource: "earlier_questions" })
  expect(events.at(-1)).toMatchObject({ finishReason: "stop" })
})

// Catches a question about a folder that stays on this computer being sent to a server to be rewritten.
test("a folder that stays here isn't asked about with a server's model", async () => {
  await using chat = await startChat({ text: "Rent of Anna in 2027" }, { staying: ["folder"] })
  await chat.ask("And in 2027?")
  expect(chat.queries).toEqual(["And in 2027?", "What rent does Anna pay?\nAnd in 2027?"])
  expect([...chat.calls(), ...chat.answers()]).toEqual([])
})

/** An engine that answers with these events, and then waits until it is aborted if it doesn't finish. */
function createEngine(events: readonly EngineEvent[]): ChatEngine {
  return {
    model: { id: "m", kind: "local", contextSize: 4096 },
    async *generate(_: GenerateRequest, signal: AbortSignal) {
      yield* events
      if (!events.some(({ type }) => type === "finish")) await once(signal, "abort")
    },
  } as unknown as ChatEngine
}

// Catches tokens that no quota counts, and an answer that waits for a model without end.
test("the call's tokens are counted, and its time is limited", async () => {
  const counted: number[] = []
  const rewrite = (events: readonly EngineEvent[]) =>
    createRewriter({
      engine: createEngine(events),
      conversationKey: "c/query",
      signal: new AbortController().signal,
      mayBeSent: () => Promise.resolve(true),
      recordTokens: async (tokens) => void counted.push(tokens),
      timeoutMs: 20,
      logger: silentLogger,
    })([...earlier, user("And in 2027?")])
  const usage = {
    promptTokens: 90,
    cachedTokens: 0,
    completionTokens: 9,
    firstTokenMs: 1,
    tokensPerSecond: 1,
  }
  const text = { type: "text", text: "Rent of Anna in 2027" } as const
  expect(await rewrite([text, { type: "finish", finishReason: "stop", usage }])).toBe(text.text)
  expect(counted).toEqual([99])
  expect(await rewrite([text])).toBeNull()
})
