import Anthropic, { APIError } from "@anthropic-ai/sdk"
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { openOutbound } from "../../../core/outbound/testing/open-outbound.ts"
import { createRemoteEngine } from "../../../engines/remote/remote-engine.ts"
import {
  startChatServer,
  afterResult,
  type ChatServers,
  greeting,
  startChatServers,
} from "../../../testing/chat-server.ts"
import { startModelServer } from "../../../testing/model-servers/model-server.ts"

type Params = Anthropic.MessageCreateParamsNonStreaming

let servers: ChatServers
beforeAll(async () => {
  servers = await startChatServers()
})
afterAll(() => servers[Symbol.asyncDispose]())

const modelKinds = ["local", "remote"] as const
const getClient = (modelKind: (typeof modelKinds)[number] = "local", apiKey = "alice") =>
  new Anthropic({ baseURL: `${servers[modelKind].url}/api`, apiKey, maxRetries: 0 })

const ask = (content: string, changes: Partial<Params> = {}): Params => ({
  model: "any",
  max_tokens: 100,
  messages: [{ role: "user", content }],
  ...changes,
})
const calculate: Anthropic.Tool = {
  name: "calculate",
  description: "Calculates.",
  input_schema: { type: "object", properties: { expression: { type: "string" } } },
}
const offeredNames = () => servers.asked.at(-1)?.tools?.map(({ function: { name } }) => name)
const getText = ({ content }: Anthropic.Message) =>
  content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("")

async function getError(promise: Promise<unknown>): Promise<APIError> {
  const error: unknown = await promise.then(
    () => new Error("It was accepted."),
    (cause: unknown) => cause,
  )
  if (error instanceof APIError) return error
  throw error
}

describe.each(modelKinds)("messages from a %s model", (modelKind) => {
  // Catches an answer that Anthropic's client can't read, and one that is stored.
  test("answer in one piece", async () => {
    const message = await getClient(modelKind).messages.create(ask("Hi."))
    expect(message).toMatchObject({
      type: "message",
      role: "assistant",
      content: [{ type: "text", text: greeting }],
      stop_reason: "end_turn",
      stop_sequence: null,
    })
    expect(message.id).toMatch(/^msg_/)
    expect(await servers[modelKind].database.db.selectFrom("conversations").select("id").execute()).toEqual(
      [],
    )
  })

  // Catches a tool that makes the whole request fail because of a limit that no grammar can count to; the first is Claude Code's own.
  test.each([524_288, 2_000])("accept a tool whose text has at most %i characters", async (maxLength) => {
    const lines = { type: "array", maxItems: maxLength, prefixItems: [{}], items: { type: "string" } }
    const properties = { script: { type: "string", maxLength }, lines }
    const schema = { type: "object" as const, properties, required: Object.keys(properties) }
    const tools: Anthropic.Tool[] = [{ name: "Workflow", input_schema: schema }]
    expect(getText(await getClient(modelKind).messages.create(ask("Hi.", { tools })))).toBe(greeting)
  })

  // Catches events that are out of order or unnamed, and pieces that don't add up to the whole.
  test("stream events in Anthropic's order, which its client reassembles", async () => {
    const events = await collect(await getClient(modelKind).messages.create({ ...ask("Hi."), stream: true }))
    const types = events.map(({ type }) => type)
    expect(types.filter((type, index) => type !== types[index - 1])).toEqual([
      "message_start",
      "content_block_start",
      "content_block_delta",
      "content_block_stop",
      "message_delta",
      "message_stop",
    ])
    const final = await getClient(modelKind).messages.stream(ask("Hi.")).finalMessage()
    expect(getText(final)).toBe(greeting)
    expect(final.stop_reason).toBe("end_turn")
  })

  // Catches calls that are dropped or wrongly formatted, and results that don't reach the model.
  test("return tool calls to the client and accept their results", async () => {
    const anthropic = getClient(modelKind)
    const asking = ask("What is 2+2?", { tools: [calculate] })
    const first = await anthropic.messages.create(asking)
    expect(first.stop_reason).toBe("tool_use")
    const call = first.content.find((block) => block.type === "tool_use")
    expect(call).toMatchObject({ name: "calculate", input: { expression: "2+2" } })

    const streamed = await anthropic.messages.stream(asking).finalMessage()
    expect(streamed.content.at(-1)).toMatchObject({ type: "tool_use", input: { expression: "2+2" } })

    const second = await anthropic.messages.create({
      ...asking,
      messages: [
        ...asking.messages,
        { role: "assistant", content: first.content },
        { role: "user", content: [{ type: "tool_result", tool_use_id: call?.id ?? "", content: "4" }] },
      ],
    })
    expect(getText(second)).toBe(afterResult)
  })
})

describe("messages", () => {
  // Catches arguments that can be parsed but not serialised and so make the whole answer fail.
  test("return a call with endlessly nested arguments as text", async () => {
    const deep = `{"a":${"[".repeat(50_000)}${"]".repeat(50_000)}}`
    await using stack = new AsyncDisposableStack()
    const mad = stack.use(await startModelServer(() => ({ calls: [{ name: "calculate", args: deep }] })))
    const engine = createRemoteEngine({ server: { baseUrl: mad.baseUrl, outbound: openOutbound() } })
    const server = stack.use(await startChatServer({ engine: stack.use(engine) }))
    const client = new Anthropic({ baseURL: `${server.url}/api`, apiKey: "alice", maxRetries: 0 })
    const { content } = await client.messages.create(ask("Hi.", { tools: [calculate] }))
    expect(content).toMatchObject([{ type: "tool_use", input: { value: deep } }])
  })

  // Catches Claude Code's tool search whose results make later requests fail, deferred tools that are offered anyway, and found tools that
  // aren't offered.
  test("offer deferred tools after a search has found them", async () => {
    const anthropic = getClient("remote")
    const deferred = (name: string) => ({ ...calculate, name, defer_loading: true })
    const tools = [{ ...calculate, name: "find" }, deferred("calculate"), deferred("other")]
    const first = await anthropic.messages.create(ask("Hi.", { tools }))
    expect(offeredNames()).toEqual(["find"])
    expect(getText(first)).toBe(greeting)
    const found: Anthropic.ToolResultBlockParam = {
      type: "tool_result",
      tool_use_id: "call_1",
      content: [{ type: "tool_reference", tool_name: "calculate" }],
    }
    const messages: Anthropic.MessageParam[] = [
      { role: "user", content: "Hi." },
      { role: "assistant", content: [{ type: "tool_use", id: "call_1", name: "find", input: {} }] },
      { role: "user", content: [found] },
    ]
    await anthropic.messages.create(ask("", { tools, messages }))
    expect(offeredNames()).toEqual(["find", "calculate"])
    expect(servers.asked.at(-1)?.messages.at(-1)?.content).toContain("calculate")
  })

  test("pass system, blocks and results to the model as intended", async () => {
    await getClient("remote").messages.create({
      model: "any",
      max_tokens: 50,
      system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
      tools: [calculate],
      messages: [
        { role: "user", content: [{ type: "text", text: "Hi" }] },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "hm", signature: "" },
            { type: "text", text: "Let me see." },
            { type: "tool_use", id: "call_1", name: "calculate", input: { expression: "1/0" } },
          ],
        },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: "call_1",
              content: [{ type: "text", text: "no" }],
              is_error: true,
            },
            { type: "text", text: "Go on." },
          ],
        },
      ],
    })
    expect(servers.asked.at(-1)).toMatchObject({
      max_tokens: 50,
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hi" },
        { role: "assistant", content: "Let me see.", tool_calls: [{ id: "call_1" }] },
        { role: "tool", content: "Error: no", tool_call_id: "call_1" },
        { role: "user", content: "Go on." },
      ],
    })
  })

  // Catches parameters that never reach the engine, and wrong stop reasons.
  test("apply max_tokens, stop_sequences, tool_choice and JSON, and report why they stopped", async () => {
    const short = await getClient().messages.create(ask("Go on!", { max_tokens: 5 }))
    expect(short).toMatchObject({ stop_reason: "max_tokens", usage: { output_tokens: 5 } })
    const stopped = await getClient().messages.create(ask("Hi.", { stop_sequences: [" never", " scripted"] }))
    expect(stopped).toMatchObject({ stop_reason: "stop_sequence", stop_sequence: " scripted" })
    expect(getText(stopped)).toBe("Hello from the")
    const schema = {
      type: "object",
      properties: { ok: { const: true } },
      required: ["ok"],
      additionalProperties: false,
    }
    const json = await getClient().messages.create(
      ask("Hi.", { output_config: { format: { type: "json_schema", schema } } }),
    )
    expect(JSON.parse(getText(json))).toEqual({ ok: true })
    await getClient("remote").messages.create(
      ask("Hi.", { tools: [calculate], tool_choice: { type: "any" }, output_config: { effort: "max" } }),
    )
    expect(servers.asked.at(-1)).toMatchObject({ tool_choice: "required", reasoning_effort: "high" })
  })

  // Catches reasoning that is taken for the answer, or sent unrequested to clients that read the first block.
  test("include reasoning on request", async () => {
    const unasked = await getClient().messages.create(ask("Think;"))
    expect(unasked.content).toMatchObject([{ type: "text", text: "Done" }])
    const thinking = { type: "enabled", budget_tokens: 1024 } as const
    const asked = await getClient().messages.create(ask("Think;", { thinking, max_tokens: 2000 }))
    expect(asked.content).toMatchObject([
      { type: "thinking", thinking: "Let me see" },
      { type: "text", text: "Done" },
    ])
    const streamed = await getClient().messages.stream(ask("Think;", { thinking })).finalMessage()
    expect(streamed.content).toMatchObject(asked.content.map(({ type }) => ({ type })))
  })

  // Catches a count that leaves out instructions or tools, or isn't based on what the model reads.
  test("count the tokens that the message then has", async () => {
    const asking = ask("What is 2+2?", { system: "Be brief.", tools: [calculate] })
    const { max_tokens, ...prompt } = asking
    const counted = await getClient().messages.countTokens(prompt)
    const { usage } = await getClient().messages.create({ ...prompt, max_tokens })
    expect(counted.input_tokens).toBe(usage.input_tokens + (usage.cache_read_input_tokens ?? 0))
    expect((await getClient("remote").messages.countTokens(prompt)).input_tokens).toBeGreaterThan(10)
  })

  // Catches parameters that are silently ignored, and errors in another format or about another parameter.
  test.each([
    ["max_tokens", { max_tokens: 0 }],
    ["max_tokens", { max_tokens: undefined }],
    ["temperature", { temperature: 1.1 }],
    ["top_k", { top_k: 5 }],
    ["system", { system: 5 }],
    ["messages", { messages: [] }],
    ["messages", { messages: [{ role: "assistant", content: "Once upon" }] }],
    ["messages[0].role", { messages: [{ role: "tool", content: "x" }] }],
    ["messages[0].content[0].type", { messages: [{ role: "user", content: [{ type: "search_result" }] }] }],
    [
      "messages[0].content[0].tool_use_id",
      { messages: [{ role: "user", content: [{ type: "tool_result", tool_use_id: "x" }] }] },
    ],
    ["tools[0].type", { tools: [{ type: "web_search_20250305", name: "web_search", input_schema: {} }] }],
    ["tools[0].input_schema", { tools: [{ name: "f", input_schema: { anyOf: [] } }] }],
    ["tools[0].input_schema", { tools: [{ name: "f", strict: true, input_schema: { uniqueItems: true } }] }],
    ["tool_choice", { tool_choice: { type: "any" } }],
    ["tool_choice", { tools: [calculate], tool_choice: { type: "tool", name: "other" } }],
    ["thinking.type", { thinking: { type: "deep" } }],
    ["output_config.effort", { output_config: { effort: "much" } }],
  ])("refuse unsupported parameters: %s %j", async (param, changes) => {
    const error = await getError(getClient().messages.create({ ...ask("Hi."), ...changes } as Params))
    expect(error).toBeInstanceOf(Anthropic.BadRequestError)
    expect(error.error).toMatchObject({ type: "error", error: { type: "invalid_request_error", param } })
    expect(error.message).toContain(param.split(/[.[]/)[0])
  })

  // Catches a prompt that is cut without an error, on which clients that shorten it themselves rely.
  test("refuse a prompt that is too long instead of cutting it", async () => {
    const long = `${"word ".repeat(4_000)}.`
    const messages = (["user", "assistant", "user", "assistant", "user"] as const).map((role) => ({
      role,
      content: long,
    }))
    const error = await getError(getClient().messages.create(ask("", { messages })))
    expect(error).toMatchObject({ status: 400 })
    expect(error.message).toMatch(/prompt is too long/)
  })

  test("report missing credentials and a missing model in Anthropic's error format", async () => {
    const error = await getError(getClient("local", "nobody").messages.create(ask("Hi.")))
    expect(error).toBeInstanceOf(Anthropic.AuthenticationError)
    expect(error.error).toMatchObject({ type: "error", error: { type: "authentication_error" } })
    const engine = servers.remote.engine()
    onTestFinished(() => servers.remote.replaceEngine(engine))
    servers.remote.replaceEngine(null)
    expect(await getError(getClient("remote").messages.create(ask("Hi.")))).toMatchObject({
      status: 503,
      error: { type: "error", error: { code: "no_model" } },
    })
  })

  // Catches a generation that continues after its client has disconnected.
  test("end when the client disconnects", async () => {
    const anthropic = getClient()
    const stream = await anthropic.messages.create({ ...ask("Go on!", { max_tokens: 60_000 }), stream: true })
    for await (const event of stream) if (event.type === "content_block_delta") break
    const answers = await Promise.all(Array.from({ length: 8 }, () => anthropic.messages.create(ask("Hi."))))
    expect(answers.every((answer) => getText(answer) === greeting)).toBe(true)
  })

  // Catches a crash that ends a stream as if it were complete.
  test("report an engine that crashed during a stream", async () => {
    const asking = ask("Go on!", { max_tokens: 60_000 })
    const stream = await getClient().messages.create({ ...asking, stream: true })
    const cut = (async () => {
      for await (const event of stream)
        if (event.type === "content_block_delta") servers.model.processes.at(-1)?.kill()
    })()
    expect((await getError(cut)).error).toMatchObject({
      type: "error",
      error: { type: "api_error", code: "engine_crashed" },
    })
  })
})

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}
