import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import type { Client } from "../shared/client/http-client.ts"
import type { ChatRequest } from "../shared/contract/chat.ts"
import { collect, of, getText } from "./features/chat/testing/tool-talk.ts"
import { startModelServer, type ModelServer, type Round } from "./testing/model-servers/model-server.ts"
import { settled } from "./testing/model-servers/reading-talk.ts"
import { addUser, startTestBox, type TestBox } from "./testing/test-box.ts"
import { scriptedServer, tool, type ScriptedServer } from "./tools/mcp/testing/mcp-servers.ts"
import { waitFor } from "../shared/testing/wait-for.ts"

let directory: string
let model: ModelServer
let box: TestBox
let server: ScriptedServer
let key: string
let rounds: (Round | Promise<Round>)[] = []
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "casella-plain-"))
  model = await startModelServer(() => rounds.shift() ?? { text: "Done." })
  box = await startTestBox({ model: model.baseUrl })
  server = scriptedServer(directory)
  await server.offer([tool("notes")])
  const { integration } = await box.client.integrations.add({
    body: { name: "Notes", target: server.target },
  })
  key = integration.key
  const params = { key }
  const { consent } = (await box.client.integrations.read({ params })).integration
  await box.client.integrations.link({ params, body: { consent: consent ?? "" } })
})
afterAll(async () => {
  await box[Symbol.asyncDispose]()
  await model[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})
beforeEach(() => {
  rounds = []
})

interface Asked extends Partial<ChatRequest> {
  client?: Client
  said?: Round[]
}

async function ask(id: string, content: string, { client = box.client, said = [], ...more }: Asked = {}) {
  rounds = [...said]
  const messages = [{ role: "user" as const, content }]
  return collect(client.chat.send({ body: { id, messages, boxAddress: box.url, ...more } }))
}

const call = (name: string, args: object): Round => ({ calls: [{ name, args }] })
const functions = () => (model.requests.at(-1)?.tools ?? []).map(({ function: { name } }) => name)
const remembered = async (id: string) =>
  (await box.client.conversations.read({ params: { id } })).chat.builtInTools
const remember = call("memory", { action: "remember", text: "Likes tea" })

/** Returns the error with which a call is refused, or null. */
const refusal = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => error,
  )

// Catches tools that a chat uses without being asked or keeps using, and tools used in addition to an assistant's own.
test("a chat uses only the tools that its question names", async () => {
  await ask("plain", "What is 2+2?")
  expect(functions()).toEqual([])
  expect(await remembered("plain")).toEqual({})

  const builtInTools = { calculate: true, memory: false, [key]: true }
  const said = [call("calculate", { expression: "2+2" }), call(`${key}_notes`, { text: "2+2" })]
  const events = await ask("plain", "What is 2+2?", { builtInTools, said: [...said, { text: "It is 4." }] })
  expect(functions()).toEqual(["calculate", `${key}_notes`])
  expect(of(events, "tool-result")[0]?.result).toBe("4")
  await ask("plain", "And now?")
  expect(functions()).toEqual([])
  expect(await remembered("plain")).toEqual(builtInTools)

  const { assistant } = await box.client.assistants.create({ body: { name: "Bare" } })
  await ask("plain", "And you?", { assistantId: assistant.id, builtInTools: { calculate: true } })
  expect(functions()).toEqual([])
  expect(await remembered("plain")).toEqual(builtInTools)
})

// Catches a chat without an assistant that runs a call which an assistant would ask about, and one that forgets its tools while it waits,
// so that an approved call never runs.
test("its calls wait for approval like an assistant's, also across a restart, and continue with the chat's tools", async () => {
  const asked = await ask("tea", "I like tea.", { builtInTools: { memory: true }, said: [remember] })
  expect(asked.at(-1)).toMatchObject({ finishReason: "tool-calls" })
  expect((await box.client.memory.list()).memories).toEqual([])
  await box.restart()
  const params = { chatId: "tea" }
  const [waiting] = (await box.client.chat.approvals({ params })).approvals
  rounds = [{ text: "I will remember it." }]
  await box.client.chat.approve({
    params: { ...params, toolCallId: waiting?.toolCallId ?? "" },
    body: { decision: "allow" },
  })
  expect(getText(await collect(box.client.chat.attach({ params })))).toBe("I will remember it.")
  expect((await box.client.memory.list()).memories).toMatchObject([{ text: "Likes tea" }])
  expect(functions()).toEqual(["memory"])
})

// Catches a plain chat that bypasses the protection of folder content.
test("content read in a folder isn't sent out without approval", async () => {
  const { vector } = await box.client.folders.create({ body: { name: "Secrets" } })
  const file = new Blob(["The code is canary-77."])
  await box.client.files.upload({ params: { id: vector.id }, file, fileName: "code.txt" })
  await settled(box, vector.id)
  const said = [call("fetch", { url: "https://example.com/canary-77" })]
  const more = { vector: [vector.id], builtInTools: { fetch: true }, said }
  const events = await ask("wall", "What is the code?", more)
  expect(of(events, "tool-approval-request")).toMatchObject([{ toolName: "fetch" }])
  const denied = await ask("wall2", "What is the code?", { ...more, approvals: "deny" })
  expect(of(denied, "notice").map(({ code }) => code)).toContain("call_refused")
})

// Catches tools that are lost while a question waits, or that a change of the question can't remove.
test("a queued question keeps its tools", async () => {
  const firstRound = Promise.withResolvers<Round>()
  rounds = [firstRound.promise]
  const params = { id: "queue" }
  const add = (content: string, builtInTools: Record<string, boolean>) =>
    box.client.queue.add({ params, body: { content, builtInTools } })
  await add("First", {})
  const { entry } = await add("Second", { calculate: true, plot: true })
  expect(entry).toMatchObject({ waitsFor: "answer", builtInTools: { calculate: true, plot: true } })
  await box.client.queue.change({
    params: { ...params, entryId: entry.id },
    body: { builtInTools: { plot: true } },
  })
  firstRound.resolve({ text: "First answer." })
  await waitFor(() => expect(functions()).toEqual(["plot"]))
  await waitFor(async () => expect(await remembered("queue")).toEqual({ plot: true }))

  const answered = async () => {
    const { chat } = await box.client.conversations.read({ params })
    expect(chat.messages).toHaveLength(4)
    expect(chat.messages[3]?.finishReason).toBe("stop")
    return chat.messages[3]?.id ?? ""
  }
  const messageId = await waitFor(answered)
  const { chat: fork } = await box.client.conversations.fork({ params, body: { messageId } })
  expect(await remembered(fork.id)).toEqual({ plot: true })
})

// Catches a key that gains rights in a chat that no assistant gives it, and a colleague's server that is used or revealed.
test("a key with limited rights uses no servers, and no one uses other people's servers", async () => {
  const { key: limited } = await box.client.keys.create({ body: { name: "Chat", scopes: ["assistants"] } })
  const client = box.getClient(limited)
  expect(await refusal(ask("limited", "Hello", { client, builtInTools: { [key]: true } }))).toMatchObject({
    code: "forbidden",
  })
  const body = { content: "Hello", builtInTools: { [key]: true } }
  expect(await refusal(client.queue.add({ params: { id: "limited" }, body }))).toMatchObject({
    code: "forbidden",
  })
  await ask("limited2", "Hello", { client, builtInTools: { calculate: true, [key]: false } })
  expect(functions()).toEqual(["calculate"])

  const other = await addUser(box, "other@example.com")
  const builtInTools = { [key]: true }
  expect(await refusal(ask("other", "Hello", { client: other, builtInTools }))).toMatchObject({
    code: "validation",
    details: [{ field: `builtInTools.${key}` }],
  })
})

// Catches an unknown tool name that is ignored, and an excessive number of names that would be stored with a queued question.
test("unknown tools are rejected by name", async () => {
  expect(await refusal(ask("wrong", "Hello", { builtInTools: { teleport: true } }))).toMatchObject({
    code: "validation",
    details: [{ field: "builtInTools.teleport" }],
  })
  const many = Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`mcp_${index}`, true]))
  expect(await refusal(ask("many", "Hello", { builtInTools: many }))).toMatchObject({
    code: "validation",
    details: [{ field: "builtInTools" }],
  })
})

// Catches a removed server that makes every later question of the chat fail.
test("a chat forgets a server that was removed", async () => {
  const { integration } = await box.client.integrations.add({ body: { name: "Gone", target: server.target } })
  const builtInTools = { calculate: true, [integration.key]: true }
  await ask("gone", "Hello", { builtInTools })
  expect(await remembered("gone")).toEqual(builtInTools)
  await box.client.integrations.remove({ params: { key: integration.key } })
  expect(await remembered("gone")).toEqual({ calculate: true })
})

// Catches a task that is delegated without counting its depth, or that runs without anyone's rights.
test("it delegates tasks to assistants", async () => {
  const { assistant } = await box.client.assistants.create({
    body: { name: "Sums", builtInTools: { calculate: true } },
  })
  const said = [
    call("assistant", { handle: assistant.handle, task: "Say 4." }),
    { text: "Four." },
    { text: "It says four." },
  ]
  const events = await ask("tasks", "Ask it.", { builtInTools: { assistant: true }, said })
  expect(JSON.stringify(of(events, "tool-result"))).toContain("Four.")
  expect(getText(events)).toBe("It says four.")
})
