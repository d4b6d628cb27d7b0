import { readdir, readFile } from "node:fs/promises"
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import type { ServerDraft } from "../../../../shared/contract/model-servers.ts"
import { ensureTestModel } from "../../../engines/llama/testing/test-models.ts"
import { addUser, startTestBox, type TestBox } from "../../../testing/test-box.ts"

const secretKey = "sk-kept-to-itself-4711"

let box: TestBox
let stack: AsyncDisposableStack
beforeEach(async () => {
  stack = new AsyncDisposableStack()
  box = await startTestBox()
})
afterEach(async () => {
  await stack.disposeAsync()
  await box[Symbol.asyncDispose]()
})

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void

/** A server with a handler chosen by the test, and the requests it received. */
async function listen(handler: Handler) {
  const asked: { path: string; key: string | undefined; body: string }[] = []
  const server = createServer((request, response) => {
    let body = ""
    request.on("data", (part: Buffer) => (body += part.toString()))
    request.on("end", () => {
      asked.push({ path: request.url ?? "", key: request.headers.authorization, body })
      handler(request, response, body)
    })
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  stack.defer(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, "close")
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked }
}

const list = (models: object[]) => JSON.stringify({ object: "list", data: models })
const toEvent = (text: string) =>
  `data: ${JSON.stringify({ choices: [{ delta: { content: text } }] })}\n\n` +
  `data: ${JSON.stringify({ choices: [{ delta: {}, finish_reason: "stop" }] })}\n\ndata: [DONE]\n\n`

/** A normal server: it lists "large" and "small", and answers with the name of the model. */
const usual: Handler = (request, response, body) => {
  if (request.url === "/v1/models")
    return void response.end(
      list([
        { id: "org/large", max_model_len: 32_768, architecture: { input_modalities: ["text", "image"] } },
        { id: "small" },
      ]),
    )
  if (request.url !== "/v1/chat/completions") return void response.writeHead(404).end()
  response.end(toEvent(`I am ${(JSON.parse(body) as { model: string }).model}.`))
}

const add = async (body: ServerDraft) => (await box.client.modelServers.add({ body })).server
const complete = async (model?: string) => {
  const answer = await fetch(`${box.url}/api/v1/chat/completions`, {
    method: "POST",
    headers: { "x-api-key": box.key, "content-type": "application/json" },
    body: JSON.stringify({ messages: [{ role: "user", content: "hello" }], ...(model && { model }) }),
  })
  return (await answer.json()) as {
    model?: string
    choices?: { message: { content: string } }[]
    error?: { message: string; code: string }
  }
}
const said = async (model?: string) => (await complete(model)).choices?.[0]?.message.content
const chat = async (body: { id: string; modelId?: string; assistantId?: string }) => {
  const messages = [{ role: "user" as const, content: "hello" }]
  const events = []
  for await (const event of box.client.chat.send({ body: { messages, boxAddress: box.url, ...body } }))
    events.push(event)
  return {
    text: events.flatMap((event) => (event.type === "text-delta" ? event.textDelta : [])).join(""),
    notices: events.flatMap((event) => (event.type === "notice" ? event.code : [])),
  }
}

/** Names of the files in the data directory that contain a text. */
async function filesWith(text: string): Promise<string[]> {
  const all = await readdir(box.dataDir, { recursive: true, withFileTypes: true })
  const holders = []
  for (const file of all.filter((entry) => entry.isFile())) {
    // Temporary files may have been removed in the meantime.
    const bytes = await readFile(join(file.parentPath, file.name)).catch(() => Buffer.of())
    if (bytes.includes(text)) holders.push(file.name)
  }
  return holders
}

// Catches a key that is shown or written outside the secret store, a key that isn't sent, and lists that omit reported properties.
test("a model server is added, lists its models, and is called with its key", async () => {
  const { url, asked } = await listen(usual)
  const server = await add({ name: "Ours", url, apiKey: secretKey })
  expect(server).toMatchObject({ name: "Ours", url, hasKey: true, state: "reachable", problem: null })
  const [large, small] = server.models
  expect(large).toEqual({
    id: `srv_${server.id}/org/large`,
    name: "org/large",
    contextSize: 32_768,
    vision: true,
  })
  expect(small).toMatchObject({ name: "small", contextSize: null, vision: null })
  const { models } = await box.client.models.list()
  expect(models).toContainEqual({
    ...large,
    kind: "server",
    server: { id: server.id, name: "Ours", host: new URL(server.url).host },
    usedAs: null,
  })

  await box.client.models.choose({ body: { role: "chat", modelId: large?.id ?? "" } })
  expect(await said()).toBe("I am org/large.")
  expect(await said(small?.id)).toBe("I am small.")
  expect(await said("nobody-has-this")).toBe("I am org/large.")
  expect(new Set(asked.map(({ key }) => key))).toEqual(new Set([`Bearer ${secretKey}`]))
  await box.restart()
  expect(await said()).toBe("I am org/large.")

  const shown = JSON.stringify([await box.client.modelServers.list(), await box.client.models.list()])
  expect(shown).not.toContain(secretKey)
  expect(await filesWith(secretKey)).toEqual(["secrets.json"])
})

// Catches a question that goes to a model other than the one chosen for it, its assistant or by its owner. Also catches an answer that
// doesn't name its model.
test("the question's model answers, else the assistant's, else the chosen one; the answer stores its name", async () => {
  const { url } = await listen(usual)
  const { id, models } = await add({ name: "Ours", url })
  const [large, small] = models.map((model) => model.id)
  if (!large || !small) throw new Error("It lists two.")
  await box.client.models.choose({ body: { role: "chat", modelId: large } })
  const { assistant } = await box.client.assistants.create({ body: { name: "Brief", modelId: small } })
  expect(assistant.modelId).toBe(small)
  expect((await chat({ id: "a", assistantId: assistant.id })).text).toBe("I am small.")
  expect((await chat({ id: "b", assistantId: assistant.id, modelId: large })).text).toBe("I am org/large.")
  expect((await chat({ id: "c" })).text).toBe("I am org/large.")
  const { chat: stored } = await box.client.conversations.read({ params: { id: "a" } })
  expect(stored.messages.map(({ model }) => model)).toEqual([null, "small"])
  expect((await box.client.conversations.read({ params: { id: "b" } })).chat.modelId).toBe(large)

  await expect(chat({ id: "d", modelId: "nobody-has-this" })).rejects.toMatchObject({
    code: "validation",
    details: [{ field: "modelId" }],
  })
  const wrong = box.client.assistants.create({ body: { name: "No", modelId: "nobody-has-this" } })
  await expect(wrong).rejects.toMatchObject({ code: "validation", details: [{ field: "modelId" }] })

  const local = await box.client.models.add({ body: { path: ensureTestModel() } })
  await box.client.models.choose({ body: { role: "chat", modelId: local.model.id } })
  await box.client.modelServers.remove({ params: { serverId: id } })
  const answer = await chat({ id: "e", assistantId: assistant.id })
  expect(answer).toMatchObject({
    text: "Hello from the scripted model.",
    notices: expect.arrayContaining(["model_missing"]) as string[],
  })
})

// Catches a chosen model that remains after its server is removed, so that Casella can't start again, and a key that remains.
test("removing a server also removes its key and its role", async () => {
  const { url } = await listen(usual)
  const { id, models } = await add({ name: "Ours", url, apiKey: secretKey })
  await box.client.models.choose({ body: { role: "chat", modelId: models[0]?.id ?? "" } })
  expect(await box.client.modelServers.remove({ params: { serverId: id } })).toEqual({ success: true, id })
  expect((await box.client.models.list()).choice.chat.chosenId).toBeNull()
  expect(await readFile(join(box.dataDir, "secrets.json"), "utf8")).not.toContain(secretKey)
  await box.restart()
  expect((await complete()).error?.code).toBe("no_model")
  await expect(box.client.modelServers.remove({ params: { serverId: id } })).rejects.toMatchObject({
    code: "not_found",
  })
})

/** A question to the server's model, after the first words of an answer that never ends have arrived. */
async function startAnswer() {
  const left = Promise.withResolvers<void>()
  const { url } = await listen((request, response, body) => {
    if (request.url !== "/v1/chat/completions") return usual(request, response, body)
    response.on("close", left.resolve)
    response.write(toEvent("Half of").split("\n\n")[0] + "\n\n")
  })
  const { id, models } = await add({ name: "Ours", url, apiKey: secretKey })
  await box.client.models.choose({ body: { role: "chat", modelId: models[0]?.id ?? "" } })
  const messages = [{ role: "user" as const, content: "hello" }]
  const events = box.client.chat.send({ body: { id: "begun", messages, boxAddress: box.url } })
  const iterator = events[Symbol.asyncIterator]()
  for (;;) {
    const { value, done } = await iterator.next()
    if (done === true) throw new Error("The answer ended by itself.")
    if (value.type === "text-delta") break
  }
  const rest = async () => {
    const all = []
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next())
      all.push(next.value)
    return all
  }
  return { id, left: left.promise, rest }
}

// Catches an answer that continues from a server that its owner has removed, and an answer that is lost when that happens.
test("removing a server ends its running answers and keeps their text", async () => {
  const { id, left, rest } = await startAnswer()
  await box.client.modelServers.remove({ params: { serverId: id } })
  await left
  const message = expect.stringContaining("Ours was removed") as string
  expect(await rest()).toMatchObject([
    { type: "error", code: "unavailable", error: message },
    { type: "finish", finishReason: "error" },
  ])
  const { chat: kept } = await box.client.conversations.read({ params: { id: "begun" } })
  expect(kept.messages.at(-1)?.content).toBe("Half of")
})

// Catches a refresh of a server's list that ends its models' running answers.
test("querying the server again doesn't end an answer", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  const { id, left, rest } = await startAnswer()
  await box.client.modelServers.refresh({ params: { serverId: id } })
  vi.advanceTimersByTime(60_000)
  vi.useRealTimers()
  const stopped = rest()
  await box.client.chat.stop({ params: { chatId: "begun" } })
  await left
  expect((await stopped).at(-1)).toMatchObject({ type: "finish", finishReason: "aborted" })
})

// Catches a key that is sent to a different server at a new URL, and a key that a rename loses.
test("a key stays with the origin for which it was entered", async () => {
  const [first, second] = [await listen(usual), await listen(usual)]
  const { id } = await add({ name: "Ours", url: first.url, apiKey: secretKey })
  const update = async (body: object) =>
    (await box.client.modelServers.update({ params: { serverId: id }, body })).server
  expect(await update({ name: "Still ours" })).toMatchObject({ name: "Still ours", hasKey: true })
  expect(await update({ url: second.url })).toMatchObject({ url: second.url, hasKey: false })
  expect(second.asked.map(({ key }) => key)).toEqual([undefined])
  expect(await update({ url: first.url })).toMatchObject({ hasKey: false })
  expect(await update({ apiKey: secretKey })).toMatchObject({ hasKey: true })
  expect(await update({ apiKey: null })).toMatchObject({ hasKey: false })
})

// Catches redirects that pass the key or the request to someone else.
test("a redirect to another origin is refused and carries no key", async () => {
  const thief = await listen(usual)
  const { url } = await listen((_request, response) =>
    response.writeHead(307, { location: `${thief.url}/models` }).end(),
  )
  expect(await add({ name: "Ours", url, apiKey: secretKey })).toMatchObject({ state: "unreachable" })
  expect(thief.asked).toEqual([])
})

// Catches a key that gets into answers, the database and therefore backups through the server's own messages.
test("a key that the server repeats isn't shown or stored anywhere else", async () => {
  const { url } = await listen((request, response) => {
    const key = request.headers.authorization ?? ""
    if (request.url === "/v1/models") return void response.end(list([{ id: `model of ${key}` }, { id: "m" }]))
    response.writeHead(401).end(JSON.stringify({ error: { message: `Incorrect API key: ${key}` } }))
  })
  const { id, models } = await add({ name: "Ours", url, apiKey: secretKey })
  await box.client.models.choose({ body: { role: "chat", modelId: models[1]?.id ?? "" } })
  const answer = await complete()
  const shown = JSON.stringify([models, answer, await box.client.modelServers.list()])
  expect(answer.error?.message).toContain("Incorrect API key: Bearer [key]")
  expect(shown).not.toContain(secretKey)
  await box.client.modelServers.refresh({ params: { serverId: id } })
  expect(await filesWith(secretKey)).toEqual(["secrets.json"])
})

// Catches a wrong state, a query that hangs or uses unlimited memory, and models that are lost while a server is unavailable.
test.each<[string, Handler, object]>([
  [
    "rejected the key",
    (_, response) => response.writeHead(401).end("{}"),
    { state: "unauthorized", problem: /Ours.*key/ },
  ],
  [
    "sends HTML",
    (_, response) => response.end("<html>Welcome</html>"),
    { state: "unreachable", problem: /JSON/ },
  ],
  [
    "lists nothing",
    (_, response) => response.writeHead(404).end(),
    { state: "reachable", problem: /Enter the names of those/ },
  ],
  ["sends other JSON", (_, response) => response.end("[1]"), { state: "unreachable", problem: /\/v1/ }],
  [
    "never ends a line",
    (_, response) => void response.end("x".repeat(80 << 20)),
    { state: "unreachable", problem: /too large/ },
  ],
  [
    "lies about its length",
    (_, response) => {
      response.writeHead(200, { "content-length": "1000" })
      response.write('{"data":')
      response.destroy()
    },
    { state: "unreachable", problem: /reached/ },
  ],
])(
  "a server that %s is reported",
  async (_name, handler, { state, problem }: { state?: string; problem?: RegExp }) => {
    const { url } = await listen(handler)
    const server = await add({ name: "Ours", url, apiKey: "wrong" })
    expect(server).toMatchObject({
      state,
      problem: expect.stringMatching(problem ?? "") as string,
      models: [],
    })
  },
)

// Catches a list that keeps the server busy, duplicate names, and names that look like others or contain terminal control characters.
test("only the first models of an enormous list are used, each once and with a displayable name", async () => {
  const odd = ["same", "same", "\u001b[31mred", "gpj\u202eexe", "two\nlines", "\ud800", "<b>bold</b>"]
  const many = Array.from({ length: 100_000 }, (_, index) => ({ id: `m${index}` }))
  const { url } = await listen((_, response) => response.end(list([...odd.map((id) => ({ id })), ...many])))
  const { models } = await add({ name: "Ours", url })
  expect(models).toHaveLength(2_000)
  expect(models.slice(0, 3).map(({ name }) => name)).toEqual(["same", "<b>bold</b>", "m0"])
})

test("an owner can name the models of a server that lists none", async () => {
  const { url } = await listen((_, response) => response.writeHead(404).end())
  const server = await add({ name: "Ours", url, models: ["mine", "mine", "other"] })
  expect(server).toMatchObject({ state: "reachable", problem: null })
  expect(server.models.map(({ name }) => name)).toEqual(["mine", "other"])
})

// Catches models that disappear whenever the network is lost.
test("an unavailable server keeps its models and is reported as unreachable", async () => {
  let away = false
  const { url } = await listen((...all) => (away ? all[1].destroy() : usual(...all)))
  const { id } = await add({ name: "Ours", url })
  away = true
  const { server } = await box.client.modelServers.refresh({ params: { serverId: id } })
  expect(server).toMatchObject({ state: "unreachable", models: [{ name: "org/large" }, { name: "small" }] })
})

// Catches URLs that contain a password or a key, and servers added by ordinary users.
test("invalid URLs, other users and remote URLs in local-only mode are refused", async () => {
  for (const url of [
    "http://me:secret@127.0.0.1:1/v1",
    "http://127.0.0.1:1/v1?key=secret",
    "http://127.0.0.1:1/v1#x",
    "http://127.0.0.1:1/v1?",
    "ftp://127.0.0.1/v1",
    "nonsense",
  ])
    await expect(add({ name: "Ours", url })).rejects.toMatchObject({
      code: "validation",
      details: [{ field: "url" }],
    })
  const member = await addUser(box, "ann@example.com")
  await expect(member.modelServers.list()).rejects.toMatchObject({ code: "forbidden" })
  await box.client.settings.update({ body: { localOnly: true } })
  await expect(add({ name: "Far", url: "https://api.example/v1" })).rejects.toMatchObject({
    code: "local_only",
    status: 403,
  })
  const { url } = await listen(usual)
  expect(await add({ name: "Near", url })).toMatchObject({ state: "reachable" })
})
