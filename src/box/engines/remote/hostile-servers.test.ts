import { once } from "node:events"
import { createServer, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, expect, test, vi } from "vitest"
import type { EngineEvent, GenerateRequest } from "../engine.ts"
import { openOutbound } from "../../core/outbound/testing/open-outbound.ts"
import { createRemoteEngine } from "./remote-engine.ts"

const servers: Server[] = []
afterEach(async () => {
  vi.useRealTimers()
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
    await once(server, "close")
  }
})

async function listen(answer: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((request, response) => {
    request.resume()
    request.on("end", () => answer(response))
  })
  servers.push(server.listen(0, "127.0.0.1"))
  await once(server, "listening")
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

const outbound = openOutbound()
/** The same limit as in the engine. */
const silenceTimeoutMs = 120_000
const hello: GenerateRequest = { messages: [{ role: "user", content: "hello" }] }
const chunk = (content: string) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`
const getEngine = (baseUrl: string) =>
  createRemoteEngine({
    server: { name: "Ours", outbound, baseUrl, apiKey: () => Promise.resolve(secret) },
    name: "large",
  })
const secret = "sk-the-key-of-ours/4711"
const reasons = {
  broke: "The model server stopped in the middle of its answer. Send the message again.",
  other:
    "The model server returned something other than a model's answer. Check that it is running and that its address is right. The address usually ends in /v1.",
}
const html = "<!doctype html>\n<title>Sign in</title>\n".repeat(100)

function endless(response: ServerResponse, text: string, repetitions = 10_000): void {
  const many = text.repeat(repetitions)
  const more = () => {
    while (response.writable && response.write(many));
  }
  response.on("drain", more)
  more()
}

function calls(response: ServerResponse, name: string): void {
  const tool_calls = [{ index: 0, id: "call", function: { name, arguments: "{}" } }]
  response.write(`data: ${JSON.stringify({ choices: [{ delta: { tool_calls } }] })}\n\ndata: [DONE]\n\n`)
}

/** None of these servers ends its answer, unless ending it is the fault. */
const faults: [string, (response: ServerResponse) => void, string, string][] = [
  ["sends HTML", (response) => void response.end(html), "unavailable", reasons.other],
  [
    "ends before half of a chunk is there",
    (response) => void response.end(chunk("All") + chunk("half").slice(0, -12)),
    "engine_crashed",
    reasons.broke,
  ],
  [
    "vanishes in the middle of the answer",
    (response) => void response.write(chunk("half"), () => response.destroy()),
    "engine_crashed",
    reasons.broke,
  ],
  [
    "promises more than it sends",
    (response) => {
      response.writeHead(200, { "content-length": "100000" })
      response.write(chunk("half"), () => response.destroy())
    },
    "engine_crashed",
    reasons.broke,
  ],
  [
    "sends more than it promised",
    (response) => {
      response.socket?.end(`HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\n${chunk("half")}`)
    },
    "unavailable",
    reasons.other,
  ],
  [
    "sends 10 MB without a line break, and goes on",
    (response) => void response.write(`data: ${"x".repeat(10 << 20)}`),
    "unavailable",
    "The model server sent too much data at once.",
  ],
  [
    "rejected the key",
    (response) => void response.writeHead(401).end(),
    "unavailable",
    "Ours rejected the key. Change it in Settings › Model servers.",
  ],
  [
    "repeats the key where it refuses it",
    (response) => void response.writeHead(401).end(JSON.stringify({ error: { message: `No: ${secret}` } })),
    "unavailable",
    "Ours rejected the key. Change it in Settings › Model servers. It says: No: [key]",
  ],
  [
    "repeats the key in the middle of the answer, in pieces",
    (response) => {
      const event = `data: ${JSON.stringify({ error: secret }).replace("/", String.raw`\/`)}\n\n`
      response.write(chunk("half"))
      response.write(event.slice(0, 20), () => response.write(event.slice(20)))
    },
    "unavailable",
    "The model server returned an error while answering. It says: [key]",
  ],
  [
    "sends events that say nothing for good",
    (response) => endless(response, "data: {}\n\n"),
    "unavailable",
    "Ours's answer is too large.",
  ],
  ["sends one line for good", (response) => endless(response, "x"), "unavailable", reasons.other],
  [
    "sends remarks for good",
    (response) => endless(response, ": still here\n\n"),
    "unavailable",
    reasons.other,
  ],
  ["calls a function without a name", (response) => calls(response, ""), "unavailable", reasons.other],
  ["calls a function by no name", (response) => calls(response, "a\u202eb"), "unavailable", reasons.other],
  [
    "never ends its answer",
    (response) => endless(response, chunk("on and on ".repeat(50_000)), 1),
    "unavailable",
    "Ours's answer is too large.",
  ],
]

async function collect(events: AsyncIterable<EngineEvent>): Promise<EngineEvent[]> {
  const all: EngineEvent[] = []
  for await (const event of events) all.push(event)
  return all
}

// Catches an answer that hangs or is treated as complete, an error that suggests no action, and a connection that stays open.
test.each(faults)("reports a server that %s, and disconnects", async (_name, answer, code, message) => {
  const left = Promise.withResolvers<void>()
  const baseUrl = await listen((response) => {
    response.on("close", left.resolve)
    answer(response)
  })
  await using engine = getEngine(baseUrl)
  const read = collect(engine.generate(hello, new AbortController().signal))
  await expect(read).rejects.toMatchObject({ code, message })
  await left.promise
})

// Catches impossible token counts that are shown and stored with an answer.
test("counts tokens itself when a server's counts are nonsense", async () => {
  const usage = {
    prompt_tokens: -5,
    completion_tokens: 1e308,
    prompt_tokens_details: { cached_tokens: 7 },
  }
  const ended = `data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`
  await using engine = getEngine(await listen((response) => void response.end(chunk("Hello") + ended)))
  const events = await collect(engine.generate(hello, new AbortController().signal))
  expect(events.at(-1)).toMatchObject({
    usage: { promptTokens: 0, completionTokens: 0, cachedTokens: 0, tokensPerSecond: null },
  })
})

// Catches a key, and a question, that a redirect sends to someone else.
test.each([301, 302, 303, 307, 308])("refuses a redirect (%i) to another server", async (status) => {
  const thieved: unknown[] = []
  const thief = await listen((response) => {
    thieved.push(response)
    response.end()
  })
  const headers = { location: `${thief}/chat/completions` }
  await using engine = getEngine(await listen((response) => void response.writeHead(status, headers).end()))
  const read = collect(engine.generate(hello, new AbortController().signal))
  const message = "Ours redirects to another address. Enter that address instead."
  await expect(read).rejects.toMatchObject({ code: "unavailable", message })
  expect(thieved).toEqual([])
})

// Catches an answer that waits forever for a server that accepts a question and then falls silent, before or during its answer.
test.each([
  ["before its answer", ""],
  ["within its answer", chunk("half")],
])("disconnects from a server that falls silent %s", async (_name, sent) => {
  const taken = Promise.withResolvers<void>()
  const left = Promise.withResolvers<void>()
  const baseUrl = await listen((response) => {
    response.on("close", left.resolve)
    if (sent !== "") response.write(sent)
    else taken.resolve()
  })
  await using engine = getEngine(baseUrl)
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  const read = async () => {
    for await (const event of engine.generate(hello, new AbortController().signal))
      if (event.type === "text") taken.resolve()
  }
  const reading = read().catch((error: unknown) => error)
  await taken.promise
  vi.advanceTimersByTime(silenceTimeoutMs)
  expect(await reading).toMatchObject({ code: "unavailable", message: "Ours isn't answering." })
  await left.promise
})
