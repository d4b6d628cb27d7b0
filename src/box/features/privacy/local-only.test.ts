import { once } from "node:events"
import { createServer, request } from "node:http"
import type { AddressInfo } from "node:net"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import type { ChatEvent } from "../../../shared/contract/chat.ts"
import { startTestService } from "../../../auth-service/testing/test-service.ts"
import { startModelServer, type ModelServer, type Round } from "../../testing/model-servers/model-server.ts"
import { startTestBox, type TestBox } from "../../testing/test-box.ts"
import { scriptedServer, startEverything, tool } from "../../tools/mcp/testing/mcp-servers.ts"
import { waitFor } from "../../../shared/testing/wait-for.ts"

/** Looks like the address of another computer, but the system routes it to this one. */
const remoteUrl = (url: string) => url.replace("127.0.0.1", "0.0.0.0")

let directory: string
let model: ModelServer
let box: TestBox
let rounds: Round[] = []
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "casella-local-only-"))
  model = await startModelServer(() => rounds.shift() ?? { text: "Done." })
  box = await startTestBox({ model: model.baseUrl })
})
afterEach(async () => {
  await box[Symbol.asyncDispose]()
  await model[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

const change = (body: { localOnly?: boolean; localOnlyPrograms?: boolean }) =>
  box.client.settings.update({ body })
const list = async (query = {}) => (await box.client.privacy.list({ query })).egress
const getProblem = async (key: string) =>
  (await box.client.integrations.read({ params: { key } })).integration.problem

async function add(
  name: string,
  target: { kind: "http"; url: string } | { kind: "command"; command: string },
) {
  const { integration } = await box.client.integrations.add({ body: { name, target } })
  const { key, consent } = integration
  const body = consent === null ? {} : { consent }
  const linked = await box.client.integrations.link({ params: { key }, body })
  expect(linked.integration.state).toBe("linked")
  return key
}

let chats = 0
async function ask(assistantId: string, ...said: Round[]): Promise<ChatEvent[]> {
  rounds = said
  const messages = [{ role: "user" as const, content: "Echo my notes." }] // mentions tools of both servers
  const body = { id: `chat-${++chats}`, messages, boxAddress: box.url, assistantId }
  const events: ChatEvent[] = []
  for await (const event of box.client.chat.send({ body })) events.push(event)
  return events
}
const functions = () => model.requests.at(-1)?.tools?.map(({ function: { name } }) => name) ?? []

// Catches a tool that is still offered, a connection that stays open, or a program that runs although its connections can't be known.
it("disables tools that need other computers, tells the model why, and enables them again", async () => {
  await using server = await startEverything("streamableHttp")
  const away = await add("Away", { kind: "http", url: remoteUrl(server.url) })
  const near = await add("Near", { kind: "http", url: server.url })
  const script = scriptedServer(directory)
  await script.offer([tool("notes")])
  const program = await add("Program", script.target)
  const core = { webSearch: true, fetch: true, getWeather: true, calculate: true }
  const { assistant } = await box.client.assistants.create({
    body: {
      name: "Helper",
      permissionMode: "bypass",
      builtInTools: { ...core, [away]: true, [program]: true },
    },
  })
  await ask(assistant.id)
  expect(functions()).toEqual(expect.arrayContaining(["webSearch", "fetch", "getWeather", "calculate"]))
  expect(functions()).toContain("mcp_program_notes")
  expect(functions().some((name) => name.startsWith("mcp_away_"))).toBe(true)
  expect(await list({ purpose: "integration", host: "0.0.0.0" })).not.toEqual([])
  expect(await list({ purpose: "program" })).toMatchObject([{ outcome: "open", bytesSent: null }])

  await change({ localOnly: true })
  await waitFor(async () => expect(await list({ purpose: "program" })).toMatchObject([{ outcome: "ok" }]))
  // The connection is closed, and querying the remote server's tools again is refused.
  await box.client.integrations.check({ params: { key: away } })
  await waitFor(async () => expect(await getProblem(away)).toContain("local only"))
  await waitFor(async () => {
    const outcomes = (await list({ purpose: "integration" })).map(({ outcome }) => outcome)
    expect(outcomes).toContain("refused")
    expect(outcomes).not.toContain("open")
  })
  const before = (await list()).length
  await ask(assistant.id)
  expect(functions()).toContain("calculate")
  for (const gone of ["webSearch", "fetch", "getWeather", "mcp_program_notes"])
    expect(functions()).not.toContain(gone)
  expect(functions().some((name) => name.startsWith("mcp_away_"))).toBe(false)
  const prompt = String(model.requests.at(-1)?.messages[0]?.content)
  for (const name of ["Web search", "Fetch page", "Weather", away, program])
    expect(prompt).toContain(`${name} (Casella is set to local only`)
  const { tools } = await box.client.tools.list()
  const usable = (key: string) => tools.find((each) => each.key === key)?.linked
  expect([usable("fetch"), usable(away), usable(program), usable(near)]).toEqual([false, false, false, true])
  expect(await list()).toHaveLength(before)

  await change({ localOnlyPrograms: true })
  await ask(assistant.id, { calls: [{ name: "mcp_program_notes", args: { text: "x" } }] }, { text: "Done." })
  expect(await list({ purpose: "program" })).toMatchObject([
    {
      outcome: "open",
      tool: "mcp_program_notes",
      chat: { id: `chat-${chats}` },
      assistant: { name: "Helper" },
    },
    { outcome: "ok" },
  ])
  await change({ localOnlyPrograms: false })
  await waitFor(async () => expect((await list({ purpose: "program" }))[0]?.outcome).toBe("ok"))
  await expect(box.client.integrations.check({ params: { key: program } })).resolves.toMatchObject({
    integration: { problem: expect.stringContaining("local only") as string },
  })

  await change({ localOnly: false })
  expect(await getProblem(away)).toBeNull()
  await ask(assistant.id)
  expect(functions()).toContain("webSearch")
  expect(functions().some((name) => name.startsWith("mcp_away_"))).toBe(true)
})

// Catches a call that was waiting before the switch and runs after it.
it("refuses a call that was waiting when it was turned on", async () => {
  const { assistant } = await box.client.assistants.create({
    body: { name: "Asker", permissionMode: "ask", builtInTools: { fetch: true } },
  })
  const calls = [{ name: "fetch", args: { url: "http://page.example/" }, id: "call_parked" }]
  await ask(assistant.id, { calls })
  await change({ localOnly: true })
  rounds = [{ text: "Done." }]
  const params = { chatId: `chat-${chats}`, toolCallId: "call_parked" }
  await box.client.chat.approve({ params, body: { decision: "allow" } })
  await waitFor(async () => {
    const { chat } = await box.client.conversations.read({ params: { id: `chat-${chats}` } })
    expect(chat.messages.at(-1)?.finishReason).toBe("stop")
  })
  expect(String(model.requests.at(-1)?.messages[0]?.content)).toContain(
    "Fetch page (Casella is set to local only",
  )
  expect(await list({ purpose: "web-page" })).toEqual([])
  await change({ localOnly: false })
})

/** Forwards requests, because the service responds only to its own host name. */
async function forwardTo(address: string) {
  const server = createServer((asked, answer) => {
    const { host: _, ...headers } = asked.headers
    const options = { method: asked.method, headers }
    const forwarded = request(address + (asked.url ?? ""), options, (response) => {
      answer.writeHead(response.statusCode ?? 500, response.headers)
      response.pipe(answer)
    })
    asked.pipe(forwarded)
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}

// Catches a report that is lost, or sent despite local-only.
it("keeps reports waiting, and sends them afterwards", async () => {
  await using service = await startTestService()
  const { email } = await service.account("kim")
  await using front = await forwardTo(service.url)
  await using own = await startTestBox({ authUrl: remoteUrl(front.url) })
  const switched = (localOnly: boolean) => own.client.settings.update({ body: { localOnly } })
  const signIn = { email, password: "a long enough password" }
  await switched(true)
  await expect(own.client.support.signIn({ body: signIn })).rejects.toMatchObject({ code: "local_only" })
  await switched(false)
  await own.client.support.signIn({ body: signIn })
  await switched(true)
  const { ticket } = await own.client.support.create({ body: { title: "Search", description: "Forgets." } })
  const getState = async () => (await own.client.support.read({ params: { id: ticket.id } })).ticket
  await waitFor(async () =>
    expect(await getState()).toMatchObject({ problem: { code: "local_only" }, state: "waiting" }),
  )
  await switched(false)
  await waitFor(async () => expect((await getState()).state).toBe("sent"))
  const { egress } = await own.client.privacy.list({ query: { purpose: "support" } })
  expect(new Set(egress.map(({ outcome, user }) => `${outcome} ${user === null}`))).toEqual(
    new Set(["ok false"]),
  )
})
