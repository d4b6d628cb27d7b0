import Anthropic from "@anthropic-ai/sdk"
import OpenAI, { APIError } from "openai"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createLlamaEmbedder } from "../../engines/llama/llama-encoders.ts"
import { ensureTestEmbeddingModel, testGpu } from "../../engines/llama/testing/test-models.ts"
import { createRemoteEngine } from "../../engines/remote/remote-engine.ts"
import { openOutbound } from "../../core/outbound/testing/open-outbound.ts"
import { startModelServer } from "../../testing/model-servers/model-server.ts"
import { silentLogger } from "../../core/logging/logger.ts"
import { spawnNodeChild } from "../../core/children/child.ts"
import {
  type ChatServer,
  startChatServer,
  startTestEngine,
  type TestEngine,
} from "../../testing/chat-server.ts"

type Params = OpenAI.ChatCompletionCreateParamsNonStreaming

const greeting = "Hello from the scripted model."
const embedder = createLlamaEmbedder({
  modelPath: ensureTestEmbeddingModel(),
  spawn: spawnNodeChild,
  gpu: testGpu,
  logger: silentLogger,
})
let model: TestEngine
let server: ChatServer
let openai: OpenAI
const getClient = (url: string, apiKey = "alice") =>
  new OpenAI({ baseURL: `${url}/api/v1`, apiKey, maxRetries: 0 })
beforeAll(async () => {
  model = startTestEngine()
  server = await startChatServer({ engine: model.engine, embedder })
  openai = getClient(server.url)
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await model.engine[Symbol.asyncDispose]()
  await embedder[Symbol.asyncDispose]()
})

const ask = (content: string, changes: object = {}): Params => ({
  model: "any",
  messages: [{ role: "user", content }],
  ...changes,
})
const calculate = {
  type: "function" as const,
  function: { name: "calculate", parameters: { type: "object" } },
}

const jsonSchema = (schema: object) => ({ type: "json_schema", json_schema: { name: "verdict", schema } })
const functionTaking = (parameters: object) => ({
  type: "function",
  function: { name: "f", parameters, strict: true },
})

async function getError(promise: Promise<unknown>): Promise<APIError> {
  const error: unknown = await promise.then(
    () => new Error("It was accepted."),
    (cause: unknown) => cause,
  )
  if (error instanceof APIError) return error
  throw error
}

describe("chat completions", () => {
  // Catches an answer that OpenAI's client can't read, and one that is stored.
  test("answer in one piece", async () => {
    const completion = await openai.chat.completions.create(ask("Hi."))
    expect(completion).toMatchObject({
      object: "chat.completion",
      choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: greeting } }],
    })
    expect(completion.id).toMatch(/^chatcmpl-/)
    expect(completion.usage?.total_tokens).toBe(
      (completion.usage?.prompt_tokens ?? 0) + (completion.usage?.completion_tokens ?? 0),
    )
    expect(completion.usage?.completion_tokens).toBeGreaterThan(3)
    expect(await server.database.db.selectFrom("conversations").select("id").execute()).toEqual([])
  })

  // Catches chunks in a non-standard format, and a missing end.
  test("answer as a stream of chunks that ends with [DONE]", async () => {
    const stream = await openai.chat.completions.create({ ...ask("Hi."), stream: true })
    const chunks = await collect(stream)
    expect(chunks[0]?.choices[0]?.delta.role).toBe("assistant")
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join("")).toBe(greeting)
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe("stop")
    expect(chunks.some((chunk) => chunk.usage)).toBe(false)
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1)

    const raw = await openai.chat.completions.create({ ...ask("Hi."), stream: true }).asResponse()
    expect((await raw.text()).trimEnd().endsWith("data: [DONE]")).toBe(true)
  })

  test("report the usage in a last chunk on request", async () => {
    const stream = await openai.chat.completions.create({
      ...ask("Hi."),
      stream: true,
      stream_options: { include_usage: true },
    })
    const chunks = await collect(stream)
    expect(chunks.at(-1)).toMatchObject({ choices: [] })
    expect(chunks.at(-1)?.usage?.completion_tokens).toBeGreaterThan(3)
    expect(chunks.length).toBeGreaterThan(3)
    expect(chunks.slice(0, -1).every((chunk) => chunk.usage === null)).toBe(true)
  })

  // Catches calls of the client's functions that are run, dropped or wrongly formatted.
  test("return function calls to the client and accept their results", async () => {
    const first = await openai.chat.completions.create(ask("What is 2+2?", { tools: [calculate] }))
    const choice = first.choices[0]
    expect(choice).toMatchObject({ finish_reason: "tool_calls", message: { content: null } })
    const [call] = choice?.message.tool_calls ?? []
    expect(call).toMatchObject({ type: "function", function: { name: "calculate" } })
    expect(JSON.parse(call?.type === "function" ? call.function.arguments : "")).toEqual({
      expression: "2+2",
    })

    const { model: name, messages } = ask("What is 2+2?")
    const stream = openai.chat.completions.stream({ model: name, messages, tools: [calculate] })
    const streamed = await stream.finalChatCompletion()
    expect(streamed.choices[0]?.message.tool_calls?.[0]).toMatchObject({ function: { name: "calculate" } })

    const second = await openai.chat.completions.create({
      model: "any",
      tools: [calculate],
      messages: [
        { role: "user", content: "What is 2+2?" },
        { role: "assistant", tool_calls: choice?.message.tool_calls ?? [] },
        { role: "tool", tool_call_id: call?.id ?? "", content: "4" },
      ],
    })
    expect(second.choices[0]?.message.content).toBe("The answer is 4.")
  })

  // Catches parameters that never reach the engine.
  test("apply max_tokens, stop and JSON", async () => {
    const short = await openai.chat.completions.create(ask("Go on!", { max_tokens: 5 }))
    expect(short.choices[0]?.finish_reason).toBe("length")
    expect(short.usage?.completion_tokens).toBe(5)
    const newer = await openai.chat.completions.create(
      ask("Go on!", { max_tokens: 9, max_completion_tokens: 3 }),
    )
    expect(newer.usage?.completion_tokens).toBe(3)
    const stopped = await openai.chat.completions.create(ask("Hi.", { stop: [" scripted"] }))
    expect(stopped.choices[0]).toMatchObject({
      finish_reason: "stop",
      message: { content: "Hello from the" },
    })
    const schema = {
      type: "object",
      properties: { ok: { const: true } },
      required: ["ok"],
      additionalProperties: false,
    }
    const json = await openai.chat.completions.create(
      ask("Hi.", { response_format: { type: "json_schema", json_schema: { name: "verdict", schema } } }),
    )
    expect(JSON.parse(json.choices[0]?.message.content ?? "")).toEqual({ ok: true })
  })

  // Catches clients of other engines that are refused because of those engines' options.
  test("ignore parameters that OpenAI doesn't define", async () => {
    const more = { top_k: 40, min_p: 0.1, zzz: {}, stream_options: { zzz: 1 }, stream: true }
    const stream = await openai.chat.completions.create({ ...ask("Hi.", more), stream: true })
    const chunks = await collect(stream)
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join("")).toBe(greeting)
  })

  test("accept text in parts, and parameters without effect", async () => {
    const parts = [
      { type: "text", text: "Hi" },
      { type: "text", text: "." },
    ]
    const completion = await openai.chat.completions.create({
      model: "any",
      messages: [
        { role: "developer", content: "Be brief" },
        { role: "user", content: parts as OpenAI.ChatCompletionContentPartText[], name: "me" },
      ],
      n: 1,
      logprobs: false,
      logit_bias: {},
      store: false,
      user: "me",
      temperature: null,
      parallel_tool_calls: false,
      seed: -1,
    })
    expect(completion.choices[0]?.message.content).toBe(greeting)
  })

  // Catches parameters that are silently ignored, and errors that name the wrong parameter or none.
  test.each([
    ["n", { n: 2 }],
    ["temperature", { temperature: 2.1 }],
    ["temperature", { temperature: "hot" }],
    ["top_p", { top_p: -0.1 }],
    ["max_tokens", { max_tokens: 0 }],
    ["max_completion_tokens", { max_completion_tokens: 1.5 }],
    ["stop", { stop: ["a", "b", "c", "d", "e"] }],
    ["presence_penalty", { presence_penalty: 2.5 }],
    ["frequency_penalty", { frequency_penalty: -3 }],
    ["seed", { seed: 0.5 }],
    ["logprobs", { logprobs: true }],
    ["logit_bias.5", { logit_bias: { 5: 10 } }],
    ["audio", { audio: { voice: "alloy", format: "wav" } }],
    ["function_call", { function_call: "auto" }],
    ["functions", { functions: [{ name: "calculate" }] }],
    ["moderation", { moderation: {} }],
    ["prediction", { prediction: { type: "content", content: "x" } }],
    ["reasoning_effort", { reasoning_effort: "much" }],
    ["verbosity", { verbosity: "low" }],
    ["web_search_options", { web_search_options: {} }],
    ["response_format.json_schema.schema", { response_format: jsonSchema({ type: "banana" }) }],
    ["response_format.json_schema.schema", { response_format: jsonSchema({ pattern: "x" }) }],
    ["tools[0].function.parameters", { tools: [functionTaking({ anyOf: [] })] }],
    ["tools[0].function.parameters", { tools: [functionTaking({ uniqueItems: true })] }],
    ["stream_options", { stream_options: { include_usage: true } }],
    ["response_format.type", { response_format: { type: "xml" } }],
    ["response_format", { response_format: { type: "json_object" }, tools: [calculate] }],
    ["tools[0].type", { tools: [{ type: "web_search" }] }],
    ["tools[0].function.name", { tools: [{ type: "function", function: { name: "no spaces" } }] }],
    ["tool_choice", { tool_choice: "required" }],
    ["tool_choice", { tools: [calculate], tool_choice: { type: "function", function: { name: "other" } } }],
    ["messages", { messages: [] }],
    ["messages[0].role", { messages: [{ role: "function", content: "x" }] }],
    ["messages[0].content", { messages: [{ role: "user" }] }],
    ["messages[0].tool_call_id", { messages: [{ role: "tool", content: "4", tool_call_id: "x" }] }],
    [
      "messages[0].content[0].type",
      {
        messages: [
          { role: "user", content: [{ type: "input_audio", input_audio: { data: "", format: "wav" } }] },
        ],
      },
    ],
    [
      "messages[0].content[0]",
      { messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: "data:," } }] }] },
    ],
  ])("refuse unsupported parameters: %s %j", async (param, changes) => {
    const error = await getError(openai.chat.completions.create(ask("Hi.", changes)))
    expect(error).toMatchObject({ status: 400, type: "invalid_request_error", param })
    expect(error.message).toContain(param.split(/[.[]/)[0])
  })

  // Catches a context error that arrives as a broken stream or names no parameter.
  test.each([true, false])("refuse a message that exceeds the context window: stream %s", async (stream) => {
    const answer = openai.chat.completions.create({ ...ask("word ".repeat(70_000)), stream })
    expect(await getError(answer)).toMatchObject({ status: 400, param: "messages" })
  })

  // Catches a generation that continues after its client has disconnected.
  test("end when the client disconnects", async () => {
    const stream = await openai.chat.completions.create({ ...ask("Go on!"), stream: true })
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break
    const gone = new AbortController()
    const whole = openai.chat.completions.create(ask("Go on!"), { signal: gone.signal }).catch(() => "cut")
    gone.abort()
    expect(await whole).toBe("cut")
    // Both would otherwise have kept the engine's slots for a long time.
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => openai.chat.completions.create(ask("Hi."))),
    )
    expect(answers.every((answer) => answer.choices[0]?.message.content === greeting)).toBe(true)
  })

  // Catches a crash that ends a stream as if it were complete.
  test("report an engine that crashed during a stream", async () => {
    const stream = await openai.chat.completions.create({ ...ask("Go on!"), stream: true })
    const cut = (async () => {
      for await (const chunk of stream) if (chunk.choices[0]?.delta.content) model.processes.at(-1)?.kill()
    })()
    expect((await getError(cut)).code).toBe("engine_crashed")
    expect((await openai.chat.completions.create(ask("Hi."))).choices[0]?.message.content).toBe(greeting)
  })

  test("require a credential and a model", async () => {
    expect(await getError(getClient(server.url, "nobody").chat.completions.create(ask("Hi.")))).toMatchObject(
      {
        status: 401,
      },
    )
    await using empty = await startChatServer({ engine: null })
    expect(await getError(getClient(empty.url).chat.completions.create(ask("Hi.")))).toMatchObject({
      status: 503,
      code: "no_model",
    })
    expect(
      await getError(getClient(empty.url).embeddings.create({ model: "any", input: "x" })),
    ).toMatchObject({
      status: 503,
      code: "no_model",
    })
    expect((await getClient(empty.url).models.list()).data).toEqual([])
  })
})

describe("models", () => {
  test("list the configured one", async () => {
    const { data } = await openai.models.list()
    expect(data).toEqual([{ id: model.engine.model.id, object: "model", owned_by: "local" }])
  })
})

describe("embeddings", () => {
  // Catches vectors in the wrong order or in a format that OpenAI's client decodes incorrectly.
  test("return the same vectors as floats and as base64", async () => {
    const input = ["cat", "kitten", "invoice"]
    const floats = await openai.embeddings.create({ model: "any", input, encoding_format: "float" })
    const decoded = await openai.embeddings.create({ model: "any", input }) // requests base64 and decodes it
    expect(decoded.data.map(({ embedding }) => embedding)).toEqual(
      floats.data.map(({ embedding }) => embedding),
    )
    const [cat = [], kitten = [], invoice = []] = floats.data.map(({ embedding }) => embedding)
    const cosine = (a: number[], b: number[]) =>
      a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0)
    expect(cosine(cat, kitten)).toBeGreaterThan(cosine(cat, invoice) + 0.5)
    expect(floats.data.map(({ index }) => index)).toEqual([0, 1, 2])
    expect((await openai.embeddings.create({ model: "any", input: "cat" })).data).toHaveLength(1)
  })

  test.each([
    ["input[0]", { input: "" }],
    ["input", { input: [] }],
    ["input[0]", { input: [1, 2, 3] }],
    ["input[0]", { input: [[1, 2], [3]] }],
    ["encoding_format", { input: "x", encoding_format: "int8" }],
    ["dimensions", { input: "x", dimensions: 2 }],
  ])("refuse unsupported embedding parameters: %s %j", async (param, changes) => {
    const body = { model: "any", ...changes } as OpenAI.EmbeddingCreateParams
    expect(await getError(openai.embeddings.create(body))).toMatchObject({ status: 400, param })
  })
})

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

// Catches an answer cut by a server's filter that clients see as complete, in each of the three APIs.
test("tells clients that a server's filter has cut an answer", async () => {
  await using stack = new AsyncDisposableStack()
  const strict = stack.use(await startModelServer(() => ({ text: "You need", reason: "content_filter" })))
  const engine = createRemoteEngine({ server: { baseUrl: strict.baseUrl, outbound: openOutbound() } })
  const { url } = stack.use(await startChatServer({ engine: stack.use(engine) }))
  const completion = await getClient(url).chat.completions.create(ask("How?"))
  expect(completion.choices[0]).toMatchObject({
    finish_reason: "content_filter",
    message: { content: "You need" },
  })
  const response = await getClient(url).responses.create({ model: "any", input: "How?" })
  expect(response).toMatchObject({
    status: "incomplete",
    incomplete_details: { reason: "content_filter" },
    output_text: "You need",
  })
  const anthropic = new Anthropic({ baseURL: `${url}/api`, apiKey: "alice", maxRetries: 0 })
  const messages = [{ role: "user" as const, content: "How?" }]
  expect(await anthropic.messages.create({ model: "any", max_tokens: 9, messages })).toMatchObject({
    stop_reason: "refusal",
    content: [{ type: "text", text: "You need" }],
  })
})
