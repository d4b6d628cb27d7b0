import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import type { ChatEvent } from "../../../shared/contract/chat.ts"
import { startModelServer, type ModelServer, type Round } from "../../testing/model-servers/model-server.ts"
import { startTestBox, type TestBox } from "../../testing/test-box.ts"
import { scriptedServer, tool, type ScriptedServer } from "../../tools/mcp/testing/mcp-servers.ts"

let directory: string
let model: ModelServer
let box: TestBox
let server: ScriptedServer
let assistantId: string
const key = "mcp_notes"
const callNotes: Round = { calls: [{ name: `${key}_notes`, args: { text: "x" } }] }
let rounds: Round[] = []
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "casella-replaced-"))
  model = await startModelServer(() => rounds.shift() ?? { text: "Done." })
  box = await startTestBox({ model: model.baseUrl })
  server = scriptedServer(directory)
  await server.offer([tool("notes")])
  await addServer()
  const body = { name: "Helper", builtInTools: { [key]: true } }
  assistantId = (await box.client.assistants.create({ body })).assistant.id
})
afterAll(async () => {
  await box[Symbol.asyncDispose]()
  await model[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

async function addServer(): Promise<void> {
  await box.client.integrations.add({ body: { name: "Notes", target: server.target } })
  const { consent } = (await box.client.integrations.read({ params: { key } })).integration
  await box.client.integrations.link({ params: { key }, body: { consent: consent ?? "" } })
}
async function replaceServer(): Promise<void> {
  await box.client.integrations.remove({ params: { key } })
  await addServer()
}
async function collect(events: AsyncIterable<ChatEvent>): Promise<ChatEvent[]> {
  const seen: ChatEvent[] = []
  for await (const event of events) seen.push(event)
  return seen
}
function ask(chatId: string): Promise<ChatEvent[]> {
  rounds = [callNotes]
  const messages = [{ role: "user" as const, content: "Look into my notes." }]
  return collect(box.client.chat.send({ body: { id: chatId, messages, boxAddress: box.url, assistantId } }))
}
const asked = (events: ChatEvent[]) => events.find((event) => event.type === "tool-approval-request")
const getResult = (events: ChatEvent[]) =>
  JSON.stringify(events.find((event) => event.type === "tool-result")?.result)
async function allow(chatId: string, events: ChatEvent[], remember?: "chat"): Promise<ChatEvent[]> {
  const params = { chatId, toolCallId: asked(events)?.toolCallId ?? "" }
  const body = { decision: "allow" as const, ...(remember && { remember }) }
  await box.client.chat.approve({ params, body })
  return collect(box.client.chat.attach({ params }))
}

// Catches an "allow for this chat" that another server inherits by taking the name of a removed one.
test("A permission for a chat doesn't apply to a server that replaces another one", async () => {
  expect(getResult(await allow("remembered", await ask("remembered"), "chat"))).toContain("notes: ")
  expect(asked(await ask("remembered"))).toBeUndefined()
  await replaceServer()
  const again = await ask("remembered")
  expect(asked(again)).toBeDefined()
  await allow("remembered", again, "chat")
  expect(asked(await ask("remembered"))).toBeUndefined()
})

// Catches a call that was shown as one server's and runs on another.
test("A waiting call isn't run by a server that was added later", async () => {
  const parked = await ask("parked")
  await replaceServer()
  expect(getResult(await allow("parked", parked))).toContain("has changed since the user was asked")
})
