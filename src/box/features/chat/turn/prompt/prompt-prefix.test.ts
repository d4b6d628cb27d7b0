import { afterEach, expect, test } from "vitest"
import type { ChatRequest } from "../../../../../shared/contract/chat.ts"
import type { PromptPrefix, ChatEngine } from "../../../../engines/engine.ts"
import { createRemoteEngine } from "../../../../engines/remote/remote-engine.ts"
import { openOutbound } from "../../../../core/outbound/testing/open-outbound.ts"
import { startChatServer } from "../../../../testing/chat-server.ts"
import { startModelServer } from "../../../../testing/model-servers/model-server.ts"
import { boxAddress, collect, helper, testTool } from "../../testing/tool-talk.ts"

let stack = new AsyncDisposableStack()
afterEach(async () => {
  await stack.disposeAsync()
  stack = new AsyncDisposableStack()
})

/** Starts a chat whose engine reports what it was asked to process in advance. */
async function start() {
  const model = stack.use(await startModelServer(() => ({ text: "Done." })))
  const remote = stack.use(
    createRemoteEngine({ server: { outbound: openOutbound(), baseUrl: model.baseUrl } }),
  )
  const prepared: PromptPrefix[] = []
  let notified = Promise.withResolvers<void>()
  const prepare: ChatEngine["prepare"] = (prefix) => {
    prepared.push(prefix)
    notified.resolve()
    return Promise.resolve()
  }
  const boss = {
    ...helper,
    id: "boss",
    name: "boss",
    builtInTools: { calculate: true, assistant: true, fetch: true },
  }
  const server = stack.use(
    await startChatServer({
      engine: Object.assign(Object.create(remote) as ChatEngine, { prepare }),
      assistants: [
        boss,
        helper,
        { ...helper, id: "plain", name: "plain", builtInTools: {}, vectorIds: ["folder"] },
      ],
      folders: ["folder"],
      tools: [testTool("calculate", () => ({ content: "" }))],
    }),
  )
  const client = server.getClient("alice")
  return {
    model,
    client,
    next: async () => {
      await notified.promise
      notified = Promise.withResolvers()
      return prepared.at(-1)
    },
    ask: (id: string, about: Pick<ChatRequest, "assistantId" | "vector" | "builtInTools">) =>
      collect(
        client.chat.send({
          body: { id, messages: [{ role: "user", content: "Go." }], boxAddress, ...about },
        }),
      ),
  }
}

// Catches a prefix that differs from the start of a chat, so that processing it in advance is useless.
test.each([
  { assistantId: "boss" },
  { assistantId: "plain" },
  { vector: ["folder"] },
  { assistantId: "boss", vector: ["folder"] },
])("processes in advance for %o what the next chat starts with", async (about) => {
  const { model, client, next, ask } = await start()
  await ask("first", about)
  const prefix = await next()
  const asked = model.requests.at(-1)
  expect(prefix?.messages).toEqual(asked?.messages.slice(0, 1))
  expect(prefix?.functions ?? []).toEqual((asked?.tools ?? []).map((tool) => tool.function))
  expect(asked?.messages[0]?.role).toBe("system")
  await client.chat.prepare({ body: about })
  expect(await next()).toEqual(prefix)
})

// Catches tools of a plain chat that are left to its first question, and a prefix without the box's rules for them.
test.each([
  { builtInTools: { calculate: true, assistant: true } },
  { builtInTools: { calculate: true }, vector: ["folder"] },
])("processes in advance for a chat without an assistant and %o what it starts with", async (about) => {
  const { model, client, next, ask } = await start()
  await ask("plain", about)
  const asked = model.requests.at(-1)
  if (about.vector) await next() // the prefix of the next chat about folders: no tools are chosen for it
  await client.chat.prepare({ body: about })
  const prefix = await next()
  expect(prefix?.messages).toEqual(asked?.messages.slice(0, 1))
  expect(prefix?.functions?.map(({ name }) => name)).toContain("calculate")
  expect(prefix?.functions).toEqual(asked?.tools?.map((tool) => tool.function))
})

test("processes only usable assistants and tools in advance", async () => {
  const { client } = await start()
  await expect(client.chat.prepare({ body: { builtInTools: { nothing: true } } })).rejects.toMatchObject({
    code: "validation",
  })
  await expect(client.chat.prepare({ body: { assistantId: "nobody" } })).rejects.toMatchObject({
    code: "not_found",
  })
})
