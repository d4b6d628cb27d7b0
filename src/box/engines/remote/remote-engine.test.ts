import { once } from "node:events"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, expect, test } from "vitest"
import type { EngineEvent, GenerateRequest } from "../engine.ts"
import { openOutbound } from "../../core/outbound/testing/open-outbound.ts"
import { createRemoteEmbedder } from "./remote-embedder.ts"
import { createRemoteEngine } from "./remote-engine.ts"

const outbound = openOutbound()

type Handler = (body: Record<string, unknown>, response: ServerResponse, request: IncomingMessage) => void

let server: Server | undefined

afterEach(async () => {
  server?.closeAllConnections()
  server?.close()
  if (server?.listening) await once(server, "close")
})

/** A server that speaks OpenAI's protocol over real HTTP. The handler answers the POST requests. */
async function listen(handler: Handler): Promise<string> {
  server = createServer((request, response) => {
    if (request.url === "/v1/models")
      return void response.end(JSON.stringify({ data: [{ id: "far-model" }] }))
    const parts: Buffer[] = []
    request.on("data", (part: Buffer) => parts.push(part))
    request.on("end", () =>
      handler(JSON.parse(Buffer.concat(parts).toString()) as Record<string, unknown>, response, request),
    )
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

function chunk(delta: object, finish_reason: string | null = null): string {
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`
}

async function collect(events: AsyncIterable<EngineEvent>): Promise<EngineEvent[]> {
  const all: EngineEvent[] = []
  for await (const event of events) all.push(event)
  return all
}

const hello: GenerateRequest = { messages: [{ role: "user", content: "hello" }] }
const never = new AbortController().signal

test("streams text and reasoning, even if a character is split between two packets", async () => {
  const requests: Record<string, unknown>[] = []
  const baseUrl = await listen((body, response) => {
    requests.push(body)
    response.writeHead(200, { "content-type": "text/event-stream" })
    response.write(chunk({ role: "assistant", reasoning_content: "hm" }))
    const bytes = Buffer.from(chunk({ content: "grüß dich 🙂" }))
    const cut = bytes.indexOf(0xf0) + 2
    response.write(bytes.subarray(0, cut), () => {
      response.write(bytes.subarray(cut))
      response.write(chunk({}, "stop"))
      response.end(
        `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 2 } } })}\n\ndata: [DONE]\n\n`,
      )
    })
  })
  await using engine = createRemoteEngine({ server: { outbound, baseUrl } })
  const events = await collect(
    engine.generate({ ...hello, temperature: 0, maxTokens: 9, stop: ["x"] }, never),
  )

  expect(events.map(({ type }) => type)).toEqual(["start", "reasoning", "text", "finish"])
  expect(events[2]).toEqual({ type: "text", text: "grüß dich 🙂" })
  expect(events[3]).toMatchObject({
    finishReason: "stop",
    usage: { promptTokens: 7, cachedTokens: 2, completionTokens: 3 },
  })
  expect(requests[0]).toMatchObject({
    model: "far-model",
    stream: true,
    temperature: 0,
    max_tokens: 9,
    stop: ["x"],
  })
  expect(engine.model.id).toBe("far-model")
  expect(engine.state.status).toBe("ready")
})

test("joins the pieces of two function calls and sends their results back", async () => {
  const requests: Record<string, unknown>[] = []
  const baseUrl = await listen((body, response) => {
    requests.push(body)
    const call = (index: number, piece: object) => chunk({ tool_calls: [{ index, ...piece }] })
    response.write(call(0, { id: "a", function: { name: "add", arguments: '{"x"' } }))
    response.write(call(1, { id: "b", function: { name: "now" } }))
    response.write(call(0, { function: { arguments: ":1}" } }))
    response.end(`${chunk({}, "tool_calls")}data: [DONE]\n\n`)
  })
  await using engine = createRemoteEngine({ server: { outbound, baseUrl }, name: "m" })
  const events = await collect(
    engine.generate(
      {
        messages: [
          { role: "user", content: "1?" },
          { role: "assistant", content: "", toolCalls: [{ toolCallId: "z", name: "add", args: "{}" }] },
          { role: "tool", content: "2", toolCallId: "z" },
        ],
        functions: [{ name: "add" }, { name: "now" }],
        functionChoice: { name: "add" },
      },
      never,
    ),
  )
  expect(events.slice(1, 3)).toEqual([
    { type: "tool-call", toolCallId: "a", name: "add", args: '{"x":1}' },
    { type: "tool-call", toolCallId: "b", name: "now", args: "{}" },
  ])
  expect(events[3]).toMatchObject({ finishReason: "tool-calls" })
  expect(requests[0]).toMatchObject({
    tool_choice: { type: "function", function: { name: "add" } },
    messages: [{}, { tool_calls: [{ id: "z" }] }, { role: "tool", tool_call_id: "z" }],
  })
})

test("closes the connection on stop and ends the answer as aborted", async () => {
  const closed = Promise.withResolvers<void>()
  const baseUrl = await listen((_body, response) => {
    response.on("close", closed.resolve)
    response.write(chunk({ content: "on and on" }))
  })
  await using engine = createRemoteEngine({ server: { outbound, baseUrl } })
  const stop = new AbortController()
  const events: EngineEvent[] = []
  for await (const event of engine.generate(hello, stop.signal)) {
    events.push(event)
    if (event.type === "text") stop.abort()
  }
  expect(events.at(-1)).toMatchObject({ type: "finish", finishReason: "aborted" })
  await closed.promise
})

test.each([
  [401, { error: { message: "bad key" } }, "unavailable", /key/],
  [404, { error: "model not found" }, "unavailable", /model not found/],
  [400, { error: { message: "context too long" } }, "validation", /context too long/],
  [401, [{ error: { message: "in a list" } }], "unavailable", /in a list/],
  [422, { detail: [{ loc: ["body"], msg: "field required" }] }, "validation", /field required/],
  [429, {}, "rate_limited", /is busy/],
  [429, { error: { message: "Limit of 3 a minute" } }, "rate_limited", /is busy.* Limit of 3 a minute/],
  [
    429,
    { error: { message: "Check your plan.", type: "insufficient_quota", code: "insufficient_quota" } },
    "unavailable",
    /quota of your account .* is used up\..* Check your plan\./,
  ],
  [500, "<html>oops</html>", "unavailable", /500/],
  [
    500,
    '{"error":{"code":500,"message":"Conversation roles must alternate user/assistant"}}',
    "unavailable",
    /Conversation roles must alternate/,
  ],
  [302, {}, "unavailable", /redirects/],
])("turns status %i into an error that a user understands", async (status, body, code, message) => {
  const baseUrl = await listen((_body, response) => {
    response.writeHead(status, { location: "http://127.0.0.1:1/" })
    response.end(typeof body === "string" ? body : JSON.stringify(body))
  })
  await using engine = createRemoteEngine({
    server: { outbound, baseUrl, apiKey: () => Promise.resolve("k") },
  })
  await expect(collect(engine.generate(hello, never))).rejects.toMatchObject({
    code,
    message: expect.stringMatching(message) as string,
  })
  expect(engine.state.status).toBe("failed")
})

test.each([
  ["breaks off", chunk({ content: "half" }), "engine_crashed"],
  ["reports an error", 'data: {"error":{"message":"out of memory"}}\n\n', "unavailable"],
  ["is no completion", 'data: {"choices":"none"}\n\n', "unavailable"],
  ["is no JSON", "data: what?\n\n", "unavailable"],
  ["is JSON of something else", '{"status":"ok"}', "unavailable"],
  ["is JSON without end", "{".repeat(5 << 20), "unavailable"],
  ["never ends a line", `data: ${"x".repeat(2 << 20)}`, "unavailable"],
])("ends a stream that %s with an error instead of a finish", async (_name, sent, code) => {
  const baseUrl = await listen((_body, response) => void response.end(sent))
  await using engine = createRemoteEngine({ server: { outbound, baseUrl } })
  await expect(collect(engine.generate(hello, never))).rejects.toMatchObject({ code })
})

const sse = (...chunks: object[]) => chunks.map((value) => `data: ${JSON.stringify(value)}\n\n`).join("")
const completion = (content: unknown, finish_reason: string | null = "stop") => ({
  choices: [{ index: 0, delta: { content }, finish_reason }],
})
const done = "data: [DONE]\n\n"

// Catches a complete answer that is discarded because of its ending or format.
test.each([
  ["without [DONE]", sse(completion("Seven."))],
  ["without a blank line after the last event", sse(completion("Seven.")).trimEnd()],
  ["with the usage and no [DONE]", sse(completion("Seven."), { choices: [], usage: { prompt_tokens: 1 } })],
  ["with choices that are null", sse(completion("Seven."), { choices: null, usage: null }) + done],
  ["in one event", sse({ choices: [{ message: { content: "Seven." }, finish_reason: "stop" }] }) + done],
  ["as JSON", JSON.stringify({ choices: [{ message: { content: "Seven." }, finish_reason: "stop" }] })],
  [
    "as indented JSON",
    `\n${JSON.stringify({ choices: [{ message: { role: "assistant", content: "Seven." } }] }, null, 2)}`,
  ],
  [
    "as parts",
    sse(completion([{ type: "text", text: "Sev" }], null), completion([{ type: "text", text: "en." }])) +
      done,
  ],
  [
    "after parts that are thoughts",
    sse(
      completion([{ type: "thinking", thinking: [{ type: "text", text: "hm" }] }], null),
      completion("Seven."),
    ) + done,
  ],
  ["after a closing tag of thoughts", sse(completion("</think>", null), completion("\n\nSeven.")) + done],
  ["with no error", sse({ ...completion("Seven."), error: null }) + done],
])("reads an answer that comes %s", async (_name, sent) => {
  const baseUrl = await listen((_body, response) => void response.end(sent))
  await using engine = createRemoteEngine({ server: { outbound, baseUrl } })
  const events = await collect(engine.generate(hello, never))
  expect(events.flatMap((event) => (event.type === "text" ? event.text : [])).join("")).toBe("Seven.")
  expect(events.at(-1)).toMatchObject({ type: "finish", finishReason: "stop" })
  expect(engine.state.status).toBe("ready")
})

test("accepts an answer as complete if its connection breaks after its end", async () => {
  const baseUrl = await listen((_body, response) => {
    response.write(sse(completion("Seven.")), () => response.destroy())
  })
  await using engine = createRemoteEngine({ server: { outbound, baseUrl } })
  const events = await collect(engine.generate(hello, never))
  expect(events.at(-1)).toMatchObject({ finishReason: "stop" })
})

// Catches thoughts that are shown as the answer every time, because the chat template opens them.
test("recognises a model whose thoughts have no opening tag by its first answer", async () => {
  const baseUrl = await listen((_body, response) => {
    response.end(sse(completion("I consider this.", null), completion("\n</think>\n\nSeven.")) + done)
  })
  await using engine = createRemoteEngine({ server: { outbound, baseUrl } })
  const text = async () => {
    const events = await collect(engine.generate(hello, never))
    return events.flatMap((event) => (event.type === "text" ? event.text : [])).join("")
  }
  expect(await text()).toBe("I consider this.\n\n\nSeven.")
  expect(await text()).toBe("Seven.")
})

// Catches an empty answer from a model that has thought before, when a length limit ends the answer before its thoughts do. Also catches
// later thoughts that are shown as the answer.
test("shows an answer that is cut off before its thoughts end", async () => {
  const whole = sse(completion("I consider this."), completion("\n</think>\n\nSeven."))
  const cut = sse(completion("I consider", null), completion(" this", "length"))
  const answers = [whole, cut, whole]
  const baseUrl = await listen((_body, response) => {
    response.end(answers.shift() + done)
  })
  await using engine = createRemoteEngine({ server: { outbound, baseUrl } })
  const texts: string[] = []
  for (let count = 0; count < 3; count++) {
    const events = await collect(engine.generate(hello, never))
    texts.push(events.flatMap((event) => (event.type === "text" ? event.text : [])).join(""))
  }
  expect(texts).toEqual(["I consider this.\n\n\nSeven.", "I consider this", "Seven."])
})

const piece = (call: object) => ({ choices: [{ index: 0, delta: { tool_calls: [call] } }] })
const call = (name: string, args: unknown, more: object = {}) => ({
  ...more,
  function: { name, arguments: args },
})

test.each([
  ["index null", [piece(call("add", '{"x":1}', { index: null, id: "a" }))], [["a", "add", '{"x":1}']]],
  [
    "arguments as an object",
    [piece(call("add", { x: 1 }, { index: 0, id: "a" }))],
    [["a", "add", '{"x":1}']],
  ],
  [
    "two calls without an index, in pieces",
    [
      piece(call("add", '{"x"', { id: "a" })),
      piece({ function: { arguments: ":1}" } }),
      piece(call("add", '{"x":2', { id: "b" })),
      piece({ id: "b", function: { arguments: "}" } }),
    ],
    [
      ["a", "add", '{"x":1}'],
      ["b", "add", '{"x":2}'],
    ],
  ],
  [
    "two calls without an index or an id",
    [piece(call("add", '{"x":1}')), piece(call("add", "")), piece(call("add", null))],
    [
      ["call_0", "add", '{"x":1}'],
      ["call_1", "add", "{}"],
      ["call_2", "add", "{}"],
    ],
  ],
  [
    "two calls with the same index",
    [
      piece(call("add", '{"x":1}', { index: 0, id: "a" })),
      piece(call("add", '{"x":2}', { index: 0, id: "b" })),
    ],
    [
      ["a", "add", '{"x":1}'],
      ["b", "add", '{"x":2}'],
    ],
  ],
  [
    "two calls with the same index and no ids",
    [piece(call("add", '{"x":1}', { index: 0 })), piece(call("add", '{"x":2}', { index: 0 }))],
    [
      ["call_0", "add", '{"x":1}'],
      ["call_1", "add", '{"x":2}'],
    ],
  ],
  [
    "a name and an id in every piece",
    [piece(call("add", '{"x"', { index: 0, id: "a" })), piece(call("add", ":1}", { index: 0, id: "a" }))],
    [["a", "add", '{"x":1}']],
  ],
])("understands calls with %s", async (_name, chunks, expected) => {
  const baseUrl = await listen((_body, response) => void response.end(sse(...chunks) + done))
  await using engine = createRemoteEngine({ server: { outbound, baseUrl } })
  const events = await collect(engine.generate({ ...hello, functions: [{ name: "add" }] }, never))
  const calls = events.flatMap((event) =>
    event.type === "tool-call" ? [[event.toolCallId, event.name, event.args]] : [],
  )
  expect(calls).toEqual(expected)
})

// Catches a server's error that is lost because it contains no message.
test.each([
  ["without a message", { error: { code: 500, type: "server_error" } }, /says: server_error 500/],
  ["with an empty message", { error: { message: "", code: "oom" } }, /says: oom/],
  ["as older vLLM words it", { object: "error", message: "no memory", code: 400 }, /says: no memory/],
  ["of another shape", { error: { reason: "gone" } }, /says: .*gone/],
])("shows an error %s, in a stream and as JSON", async (_name, error, message) => {
  for (const sent of [sse(completion("half", null), error), JSON.stringify(error)]) {
    const baseUrl = await listen((_body, response) => void response.end(sent))
    await using engine = createRemoteEngine({ server: { outbound, baseUrl } })
    await expect(collect(engine.generate(hello, never))).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(message) as string,
    })
    server?.close()
  }
})

test("reports an unreachable server as unavailable", async () => {
  await using engine = createRemoteEngine({ server: { outbound, baseUrl: "http://127.0.0.1:9/v1" } })
  await expect(collect(engine.generate(hello, never))).rejects.toMatchObject({ code: "unavailable" })
})

test("returns embeddings in the order of the texts, with length one", async () => {
  const baseUrl = await listen(({ input }, response) => {
    const texts = input as string[]
    const data = texts.map((text, index) => ({ index, embedding: [text.length, 0, 0] })).reverse()
    response.end(JSON.stringify({ data }))
  })
  await using embedder = createRemoteEmbedder({ server: { outbound, baseUrl } })
  expect(await embedder.dimensions()).toBe(3)
  const texts = Array.from({ length: 40 }, (_, index) => "x".repeat(index + 1))
  const vectors = await embedder.embed(texts)
  expect(vectors).toHaveLength(40)
  expect(vectors[39]).toEqual(new Float32Array([1, 0, 0]))
})

// Catches a server without function support that keeps receiving functions, and one with support that is treated as having none.
test.each([
  { status: 400, message: "registry.ollama.ai/library/gemma:2b does not support tools", refuses: true },
  {
    status: 400,
    message: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
    refuses: true,
  },
  { status: 500, message: "tools param requires --jinja flag", refuses: true },
  { status: 400, message: "`tool calling` is not supported with this model", refuses: true },
  { status: 404, message: "No endpoints found that support tool use.", refuses: true },
  { status: 400, message: "Invalid schema for function 'plot': oneOf is not supported", refuses: false },
  { status: 400, message: "messages: this model does not support images", refuses: false },
])("understands $message", async ({ status, message, refuses }) => {
  const baseUrl = await listen((_, response) =>
    response.writeHead(status).end(JSON.stringify({ error: { message } })),
  )
  await using engine = createRemoteEngine({ server: { outbound, baseUrl } })
  expect(engine.model.callsFunctions).toBe(true)
  const asked = collect(engine.generate({ ...hello, functions: [{ name: "plot" }] }, never))
  const details = refuses ? [{ field: "tools" }] : { status }
  await expect(asked).rejects.toMatchObject({ details })
  expect(engine.model.callsFunctions).toBe(!refuses)
})
