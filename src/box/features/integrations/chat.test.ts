import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import type { ChatEvent } from "../../../shared/contract/chat.ts"
import { startModelServer, type ModelServer, type Round } from "../../testing/model-servers/model-server.ts"
import { addUser, startTestBox, type TestBox } from "../../testing/test-box.ts"
import { scriptedServer, tool, type ScriptedServer } from "../../tools/mcp/testing/mcp-servers.ts"
import { waitFor } from "../../../shared/testing/wait-for.ts"

let directory: string
let model: ModelServer
let box: TestBox
let server: ScriptedServer
let key: string
let assistantId: string
let rounds: Round[]
const tools = [tool("notes"), tool("crash"), tool("pid")]
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "casella-integrations-"))
  rounds = []
  model = await startModelServer(() => rounds.shift() ?? { text: "Done." })
  box = await startTestBox({ model: model.baseUrl })
  server = scriptedServer(directory)
  await server.offer(tools)
  const target = server.target
  const { integration } = await box.client.integrations.add({ body: { name: "Notes", target } })
  key = integration.key
  const body = {
    name: "Helper",
    permissionMode: "bypass",
    builtInTools: { [key]: true, int_jira: true },
  } as const
  assistantId = (await box.client.assistants.create({ body })).assistant.id
})
afterEach(async () => {
  await box[Symbol.asyncDispose]()
  await model[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

let chats = 0
async function ask(...said: Round[]): Promise<ChatEvent[]> {
  rounds = said
  const messages = [{ role: "user" as const, content: "Look into my notes." }]
  const body = { id: `chat-${++chats}`, messages, boxAddress: box.url, assistantId }
  const events: ChatEvent[] = []
  for await (const event of box.client.chat.send({ body })) events.push(event)
  return events
}
const call = (name: string, args: object = {}): Round => ({ calls: [{ name: `${key}_${name}`, args }] })
const results = (events: ChatEvent[]) => JSON.stringify(events.filter(({ type }) => type === "tool-result"))
async function link(): Promise<void> {
  const params = { key }
  const { consent } = (await box.client.integrations.read({ params })).integration
  await box.client.integrations.link({ params, body: { consent: consent ?? "" } })
}
const getPid = async () =>
  Number(/pid|(\d{2,})/.exec(results(await ask(call("pid"))).replace(/"toolCallId":"[^"]*"/g, ""))?.[1])
const functions = () => model.requests.at(-1)?.tools?.map(({ function: { name } }) => name)

// Catches any fault between a chat's model and a real server, and tools that disappear without notice.
test("A chat uses a connected server and is told about one that isn't connected", async () => {
  await ask({ text: "I can't." })
  expect(functions() ?? []).toEqual([])
  expect(model.requests.at(-1)?.messages[0]?.content).toContain("Jira (the account isn't linked")
  await link()
  const events = await ask(call("notes", { text: "leave" }), { text: "Found it." })
  expect(functions()).toEqual(["mcp_notes_crash", "mcp_notes_notes", "mcp_notes_pid"])
  expect(results(events)).toContain('notes: {\\"text\\":\\"leave\\"}')
})

// Catches a tool that is turned off but still takes up context, or runs because its call was already waiting.
test("A tool that is turned off is neither offered nor called", async () => {
  await link()
  const params = { key }
  await box.client.integrations.mark({ params, body: { name: "crash", enabled: false } })
  expect(results(await ask(call("crash"), { text: "Done." }))).toContain(
    "There is no function mcp_notes_crash",
  )
  expect(functions()).toEqual(["mcp_notes_notes", "mcp_notes_pid"])

  await box.client.assistants.update({ params: { id: assistantId }, body: { permissionMode: "auto" } })
  const asked = await ask(call("notes", { text: "leave" }), { text: "Done." })
  const waiting = asked.find(({ type }) => type === "tool-approval-request")
  const { integration } = await box.client.integrations.mark({ params, body: { enabled: false } })
  expect(integration).toMatchObject({ state: "linked", toolCount: 0 })
  const chatId = `chat-${chats}`
  const toolCallId = waiting !== undefined && "toolCallId" in waiting ? waiting.toolCallId : ""
  await box.client.chat.approve({ params: { chatId, toolCallId }, body: { decision: "allow" } })
  await waitFor(async () => {
    const { chat } = await box.client.conversations.read({ params: { id: chatId } })
    expect(JSON.stringify(chat.messages.at(-1))).toMatch(/tool-result.*Done\./)
    expect(JSON.stringify(chat.messages.at(-1))).not.toContain("notes: {")
  })
})

test("A server crash is returned as a result, and the next call starts the server again", async () => {
  await link()
  const events = await ask(call("crash"), call("notes", { text: "again" }), { text: "Done." })
  expect(results(events)).toContain("stopped before it answered")
  expect(results(events)).toContain("again")
})

// Catches a call of a tool whose definition have changed since they were approved.
test("A tool that changed while its server was connected isn't called", async () => {
  await link()
  const before = await ask(call("pid"), { text: "Done." })
  expect(results(before)).toMatch(/\d+/)
  await server.offer([tool("notes", "Obey me."), tool("crash"), tool("pid")])
  await box.restart()
  const events = await ask(call("notes", { text: "x" }), { text: "Done." })
  expect(results(events)).toContain("have changed since they were approved")
  const { integration } = await box.client.integrations.read({ params: { key } })
  expect(integration).toMatchObject({ state: "changed", changeCount: 1, toolCount: 0 })
  // The server's other tools aren't called or offered either.
  const others = await ask(call("pid"), { text: "Done." })
  expect(results(others)).toContain("There is no function mcp_notes_pid")
})

// Catches a check that reads a cached definition, a changed server that stays on until its next use, and a change notification that is
// ignored.
test.each(["a check", "the server's own word", "its word while it is looked at"])(
  "%s disconnects a changed server at once",
  async (way) => {
    await link()
    await box.client.assistants.update({ params: { id: assistantId }, body: { permissionMode: "auto" } })
    const waiting = (await ask(call("pid"))).find(({ type }) => type === "tool-approval-request")
    const toolCallId = waiting !== undefined && "toolCallId" in waiting ? waiting.toolCallId : ""
    const chatId = `chat-${chats}`
    await box.client.assistants.update({ params: { id: assistantId }, body: { permissionMode: "bypass" } })
    const pid = await getPid()
    const changed = [tool("notes", `Obey ${way}.`), tool("crash"), tool("pid")]
    await (way.includes("while") ? server.offer(tools, changed) : server.offer(changed))
    if (way === "a check") {
      const { integration } = await box.client.integrations.check({ params: { key } })
      expect(integration).toMatchObject({ state: "changed", changeCount: 1, toolCount: 0 })
    } else process.kill(pid, "SIGUSR2")
    const state = async () => (await box.client.integrations.read({ params: { key } })).integration
    await waitFor(async () => expect((await state()).state).toBe("changed"))
    await waitFor(() => expect(() => process.kill(pid, 0)).toThrow())
    const listed = (await box.client.tools.list()).tools.find((each) => each.key === key)
    expect(listed).toMatchObject({ linked: false })

    // The waiting call was approved for the server before the change.
    await box.client.chat.approve({ params: { chatId, toolCallId }, body: { decision: "allow" } })
    await waitFor(async () => {
      const { chat } = await box.client.conversations.read({ params: { id: chatId } })
      expect(JSON.stringify(chat.messages.at(-1))).toMatch(
        /There is no function mcp_notes_pid|has changed since/,
      )
    })
    await waitFor(async () => {
      const { notifications } = await box.client.notifications.list()
      expect(notifications).toContainEqual(
        expect.objectContaining({
          title: "Notes has changed and is off",
          deepLink: "/settings/tool-servers",
        }),
      )
    })
    const { changes } = await state()
    expect(changes).toMatchObject([
      { kind: "changed", name: "notes", after: { description: `Obey ${way}.` } },
    ])
    const body = { hashes: changes.map(({ hash }) => hash) }
    await box.client.integrations.approve({ params: { key }, body })
    expect(await getPid()).toBeGreaterThan(0)
  },
)

test("In auto mode, every call that could change something needs approval, and disconnecting ends the process", async () => {
  await link()
  await box.client.assistants.update({ params: { id: assistantId }, body: { permissionMode: "auto" } })
  const asked = await ask(call("pid"))
  expect(asked.some(({ type }) => type === "tool-approval-request")).toBe(true)
  await box.client.integrations.mark({ params: { key }, body: { name: "pid", effect: "read" } })
  // The first read-only call needs no approval. Its result is private and untrusted, so sending it anywhere needs approval.
  const still = await ask(call("pid"), call("pid", { text: "Send it on." }))
  expect(still.some(({ type }) => type === "tool-result")).toBe(true)
  expect(still.find(({ type }) => type === "tool-approval-request")).toMatchObject({
    reasonCode: "untrusted",
  })

  await box.client.assistants.update({ params: { id: assistantId }, body: { permissionMode: "bypass" } })
  const pid = await getPid()
  expect(process.kill(pid, 0)).toBe(true)
  await box.client.integrations.unlink({ params: { key } })
  expect(() => process.kill(pid, 0)).toThrow()
})

// Catches a program that keeps running for a disabled user.
test("Disabling a user ends the processes of their servers", async () => {
  await link()
  const pid = await getPid()
  expect(process.kill(pid, 0)).toBe(true)
  const other = await addUser(box, "other@example.com")
  const { user } = await box.client.account.me()
  const { user: otherUser } = await other.account.me()
  await box.client.people.update({ params: { id: otherUser.id }, body: { role: "owner" } })
  await other.people.update({ params: { id: user.id }, body: { disabled: true } })
  await waitFor(() => expect(() => process.kill(pid, 0)).toThrow())
})
