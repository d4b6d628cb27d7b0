import { afterEach, expect, test } from "vitest"
import type { ChatRequest } from "../../../../../shared/contract/chat.ts"
import type { ChatEngine } from "../../../../engines/engine.ts"
import { startChatServer, startTestEngine } from "../../../../testing/chat-server.ts"
import { noIntegrations } from "../../../../tools/registry.ts"
import type { Tool } from "../../../../tools/tool.ts"
import { boxAddress, collect, helper, testTool } from "../../testing/tool-talk.ts"

let stack = new AsyncDisposableStack()
afterEach(async () => {
  await stack.disposeAsync()
  stack = new AsyncDisposableStack()
})

/** In this test's model, each character is one token. */
const question = "Which of our customers wrote about the invoice of May."
const nothingFound = "<passages>\nNothing in the documents matches.\n</passages>\n\n"
const instructions = "You help the people of a small company with their work. Be brief and friendly."

const linked: Tool[] = Array.from({ length: 50 }, (_, index) => ({
  ...testTool("calculate", () => ({ content: "" })),
  key: "int_jira",
  name: `search_${index}`,
  description: `Searches the entries of kind ${index} in the account of the user, by any of the words in their titles.`,
}))

const assistant = (id: string, builtInTools: Record<string, boolean>) => ({
  ...helper,
  id,
  name: id,
  instructions,
  builtInTools,
})

interface Counted {
  /** Number of tokens in the newest answer's first prompt, and how many of them weren't evaluated in advance. */
  prompt: number
  evaluated: number
}

async function start(
  knowsTools = false,
): Promise<(id: string, about: Partial<ChatRequest>) => Promise<Counted>> {
  const { engine } = startTestEngine(65_536, { reply: "Done.", knowsTools })
  stack.use(engine)
  let ahead = Promise.withResolvers<void>()
  let counted: Counted = { prompt: 0, evaluated: 0 }
  const prepare: ChatEngine["prepare"] = async (prefix) => {
    await engine.prepare(prefix)
    ahead.resolve()
  }
  const generate: ChatEngine["generate"] = async function* (request, signal) {
    for await (const event of engine.generate(request, signal)) {
      if (event.type === "start")
        counted = { prompt: event.promptTokens, evaluated: event.promptTokens - event.cachedTokens }
      yield event
    }
  }
  const server = stack.use(
    await startChatServer({
      engine: Object.assign(Object.create(engine) as ChatEngine, { prepare, generate }),
      assistants: [
        assistant("none", {}),
        assistant("one", { calculate: true }),
        assistant("fifty", { calculate: true, int_jira: true }),
      ],
      folders: ["folder"],
      tools: [testTool("calculate", () => ({ content: "" }))],
      integrations: { ...noIntegrations, tools: () => Promise.resolve(linked) },
    }),
  )
  const client = server.getClient("alice")
  return async (id, about) => {
    const messages = [{ role: "user" as const, content: `${id}: ${question}` }]
    await collect(client.chat.send({ body: { id, messages, boxAddress, ...about } }))
    await ahead.promise
    ahead = Promise.withResolvers()
    return counted
  }
}

// Catches a new chat that evaluates instructions, tools, rules or any other shared prefix again.
test.each([
  { kind: "no tool", about: { assistantId: "none" }, own: question },
  { kind: "one tool", about: { assistantId: "one" }, own: question },
  { kind: "a folder", about: { vector: ["folder"] }, own: nothingFound + question },
  {
    kind: "a folder and a tool",
    about: { assistantId: "one", vector: ["folder"] },
    own: nothingFound + question,
  },
  { kind: "fifty linked tools", about: { assistantId: "fifty" }, own: question },
  { kind: "a folder's tools", about: { vector: ["folder"] }, own: nothingFound + question, knowsTools: true },
])("evaluates only the question of a new chat with $kind", async ({ about, own, knowsTools }) => {
  const ask = await start(knowsTools)
  const { prompt, evaluated } = await ask("first", about)
  expect(evaluated).toBe(prompt)
  expect((await ask("second", about)).evaluated).toBeLessThanOrEqual(`second: ${own}`.length)
})

// Catches tool descriptions that grow. Each token of a question attends to all of them.
test("adds few tokens before the question for one built-in tool, and for fifty tools of an account", async () => {
  const ask = await start()
  const none = await ask("none", { assistantId: "none" })
  const one = await ask("one", { assistantId: "one" })
  const fifty = await ask("fifty", { assistantId: "fifty" })
  expect(one.prompt - none.prompt).toBeLessThanOrEqual(1_050)
  expect(fifty.prompt - one.prompt).toBeLessThanOrEqual(330)
})

// Catches tools described to a local model that wasn't trained to call any, and long descriptions of folder tools.
test("describes folder tools briefly, and only to models that know tools", async () => {
  const about = { vector: ["folder"] }
  const plain = await (await start())("folder", about)
  const calling = await (await start(true))("folder", about)
  expect(plain.prompt).toBeLessThan(1_000)
  expect(calling.prompt - plain.prompt).toBeGreaterThan(1_000)
  expect(calling.prompt - plain.prompt).toBeLessThanOrEqual(2_400)
})
