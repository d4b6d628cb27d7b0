import OpenAI, { APIError } from "openai"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { afterResult, type ChatServers, greeting, startChatServers } from "../../../testing/chat-server.ts"

type Params = OpenAI.Responses.ResponseCreateParamsNonStreaming

let servers: ChatServers
beforeAll(async () => {
  servers = await startChatServers()
})
afterAll(() => servers[Symbol.asyncDispose]())

const modelKinds = ["local", "remote"] as const
const getClient = (modelKind: (typeof modelKinds)[number] = "local") =>
  new OpenAI({ baseURL: `${servers[modelKind].url}/api/v1`, apiKey: "alice", maxRetries: 0 })

const tooLong = { type: "object", properties: { text: { type: "string", maxLength: 2_001 } } }
const calculate: OpenAI.Responses.FunctionTool = {
  type: "function",
  name: "calculate",
  description: "Calculates.",
  parameters: { type: "object", properties: { expression: { type: "string" } } },
  strict: false,
}

const group = (tool: object) => ({ type: "namespace", name: "sums", description: "For sums.", tools: [tool] })
/** Only the engine can detect that no answer to this schema is ever complete. */
const endless = {
  type: "object",
  properties: { self: { $ref: "#/$defs/self" } },
  $defs: { self: { type: "object", properties: { self: { $ref: "#/$defs/self" } } } },
}

async function getError(promise: Promise<unknown>): Promise<APIError> {
  const error: unknown = await promise.then(
    () => new Error("It was accepted."),
    (cause: unknown) => cause,
  )
  if (error instanceof APIError) return error
  throw error
}

describe.each(modelKinds)("responses from a %s model", (modelKind) => {
  // Catches an answer that OpenAI's client can't read, and one that is stored.
  test("answer in one piece", async () => {
    const response = await getClient(modelKind).responses.create({ model: "any", input: "Hi." })
    expect(response).toMatchObject({
      object: "response",
      status: "completed",
      error: null,
      store: false,
      output_text: greeting,
      output: [{ type: "message", role: "assistant", status: "completed" }],
    })
    expect(response.id).toMatch(/^resp_/)
    expect(await servers[modelKind].database.db.selectFrom("conversations").select("id").execute()).toEqual(
      [],
    )
  })

  // Catches events that are out of order or unnumbered, and pieces that don't add up to the whole.
  test("stream events in OpenAI's order, which its client reassembles", async () => {
    const events = await collect(
      await getClient(modelKind).responses.create({ model: "any", input: "Hi.", stream: true }),
    )
    const types = events.map(({ type }) => type)
    expect(types.filter((type, index) => type !== types[index - 1])).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.delta",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.completed",
    ])
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index))
    const said = events.flatMap((event) => (event.type === "response.output_text.delta" ? [event.delta] : []))
    expect(said.join("")).toBe(greeting)

    const final = await getClient(modelKind).responses.stream({ model: "any", input: "Hi." }).finalResponse()
    expect(final.output_text).toBe(greeting)
  })

  // Catches calls that are dropped or wrongly formatted, and results that don't reach the model.
  test("return function calls to the client and accept their results", async () => {
    const openai = getClient(modelKind)
    const input: OpenAI.Responses.ResponseInput = [{ role: "user", content: "What is 2+2?" }]
    const asking: Params = { model: "any", input, tools: [calculate] }
    const first = await openai.responses.create(asking)
    const [call] = first.output
    expect(call).toMatchObject({ type: "function_call", name: "calculate", status: "completed" })
    if (call?.type !== "function_call") throw new Error("No call came.")
    expect(JSON.parse(call.arguments)).toEqual({ expression: "2+2" })

    const streamed = await openai.responses.stream({ ...asking, stream: true }).finalResponse()
    expect(streamed.output[0]).toMatchObject({ type: "function_call", arguments: call.arguments })

    const second = await openai.responses.create({
      ...asking,
      input: [...input, call, { type: "function_call_output", call_id: call.call_id, output: "4" }],
    })
    expect(second.output_text).toBe(afterResult)
  })
})

// Catches function groups, which Codex creates for MCP servers, that make a request fail or whose calls the client can't distinguish.
test.each(modelKinds)(
  "responses from a %s model call functions in groups, next to tools that the box can't run",
  async (modelKind) => {
    const openai = getClient(modelKind)
    const input: OpenAI.Responses.ResponseInput = [{ role: "user", content: "What is 2+2?" }]
    const others = [{ type: "web_search" }, { type: "custom", name: "patch" }, { type: "of_the_future" }]
    // With a fixed value, a model that is forced to make the call finishes soon.
    const parameters = { type: "object", properties: { ok: { const: true } }, required: ["ok"] }
    const tools = [...others, group({ ...calculate, parameters })] as OpenAI.Responses.Tool[]
    const asking: Params = { model: "any", input, tools, tool_choice: "required" }
    const first = await openai.responses.create(asking)
    expect(first.tools).toMatchObject([{ type: "namespace", name: "sums", tools: [{ name: "calculate" }] }])
    const [call] = first.output
    if (call?.type !== "function_call") throw new Error("No call came.")
    expect(call).toMatchObject({ name: "calculate", namespace: "sums" })
    const result = { type: "function_call_output", call_id: call.call_id, output: "4" } as const
    const second = await openai.responses.create({
      ...asking,
      tool_choice: "auto",
      input: [...input, call, result],
    })
    expect(second.output_text).toBe(afterResult)
  },
)

describe("responses", () => {
  test("pass instructions and messages of every role to the model as intended", async () => {
    await getClient("remote").responses.create({
      model: "any",
      instructions: "Be brief.",
      input: [
        { role: "developer", content: "In German." },
        { role: "user", content: [{ type: "input_text", text: "Hi" }] },
        { role: "assistant", content: "Hallo." },
        { type: "reasoning", id: "rs_1", summary: [] },
        { type: "message", role: "user", content: [{ type: "input_text", text: "Go on." }] },
      ],
    })
    expect(servers.asked.at(-1)?.messages).toEqual([
      { role: "system", content: "Be brief." },
      { role: "system", content: "In German." },
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Hallo." },
      { role: "user", content: "Go on." },
    ])
  })

  // Catches parameters that never reach the engine.
  test("apply the token limit and a schema", async () => {
    const short = await getClient().responses.create({ model: "any", input: "Go on!", max_output_tokens: 5 })
    expect(short).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
      usage: { output_tokens: 5 },
    })
    const schema = {
      type: "object",
      properties: { ok: { const: true } },
      required: ["ok"],
      additionalProperties: false,
    }
    const json = await getClient().responses.create({
      model: "any",
      input: "Hi.",
      text: { format: { type: "json_schema", name: "verdict", schema, strict: true } },
    })
    expect(JSON.parse(json.output_text)).toEqual({ ok: true })
    await getClient("remote").responses.create({
      model: "any",
      input: "Hi.",
      reasoning: { effort: "low" },
      temperature: 0.5,
    })
    expect(servers.asked.at(-1)).toMatchObject({ reasoning_effort: "low", temperature: 0.5 })
  })

  // Catches reasoning that is taken for the answer.
  test("keep reasoning separate", async () => {
    const response = await getClient().responses.create({ model: "any", input: "Think;" })
    expect(response.output).toMatchObject([
      { type: "reasoning", content: [{ type: "reasoning_text", text: "Let me see" }] },
      { type: "message" },
    ])
    expect(response.output_text).toBe("Done")
    const events = await collect(
      await getClient().responses.create({ model: "any", input: "Think;", stream: true }),
    )
    expect(events.some(({ type }) => type === "response.reasoning_text.delta")).toBe(true)
  })

  // Catches parameters that are silently ignored, and errors that name the wrong parameter or none.
  test.each([
    ["store", { store: true }],
    ["previous_response_id", { previous_response_id: "resp_1" }],
    ["conversation", { conversation: "conv_1" }],
    ["background", { background: true }],
    ["prompt", { prompt: { id: "p" } }],
    ["temperature", { temperature: 2.1 }],
    ["max_output_tokens", { max_output_tokens: 0 }],
    ["reasoning.effort", { reasoning: { effort: "much" } }],
    ["text.verbosity", { text: { verbosity: "low" } }],
    ["text.format.type", { text: { format: { type: "xml" } } }],
    [
      "text.format.schema",
      { text: { format: { type: "json_schema", name: "a", schema: { type: "banana" } } } },
    ],
    ["text.format", { text: { format: { type: "json_object" } }, tools: [calculate] }],
    ["tools[0].type", { tools: [{ type: "web_search" }] }],
    ["tools[0].parameters", { tools: [{ ...calculate, parameters: { anyOf: [] } }] }],
    ["tools[0].parameters", { tools: [{ ...calculate, strict: true, parameters: { uniqueItems: true } }] }],
    ["tools[0].parameters", { tools: [{ ...calculate, strict: true, parameters: tooLong }] }],
    ["tools", { tools: [calculate, calculate] }],
    ["tools[0].name", { tools: [{ type: "namespace", name: "a b", tools: [calculate] }] }],
    ["tools[0].tools[0].parameters", { tools: [group({ ...calculate, parameters: { anyOf: [] } })] }],
    ["tools[0].tools[0].parameters", { tools: [group({ ...calculate, parameters: endless })] }],
    ["tools[0].type", { tools: [group({ type: "custom", name: "patch" })] }],
    ["tool_choice", { tool_choice: "required" }],
    ["tool_choice", { tools: [calculate], tool_choice: { type: "function", name: "other" } }],
    ["include[0]", { include: ["message.output_text.logprobs"] }],
    ["input", { input: [] }],
    ["input[0].type", { input: [{ type: "item_reference", id: "msg_1" }] }],
    ["input[0].content[0].type", { input: [{ role: "user", content: [{ type: "input_file" }] }] }],
    ["input[0].call_id", { input: [{ type: "function_call_output", call_id: "x", output: "4" }] }],
  ])("refuse unsupported parameters: %s %j", async (param, changes) => {
    const error = await getError(
      getClient().responses.create({ model: "any", input: "Hi.", ...changes } as Params),
    )
    expect(error).toMatchObject({ status: 400, type: "invalid_request_error", param })
    expect(error.message).toContain(param.split(/[.[]/)[0])
  })

  // Catches a history that is cut without an error although the request doesn't allow it.
  test("leave no messages out unless the request allows it", async () => {
    const long = `${"word ".repeat(4_000)}.`
    const input = ["user", "assistant", "user", "assistant", "user"].map((role) => ({ role, content: long }))
    const asking = { model: "any", input } as Params
    expect(await getError(getClient().responses.create(asking))).toMatchObject({
      status: 400,
      param: "input",
    })
    const cut = await getClient().responses.create({ ...asking, truncation: "auto" })
    expect(cut.output_text).toBe(greeting)
    const newest = { model: "any", input: "word ".repeat(70_000) }
    expect(await getError(getClient().responses.create({ ...newest, truncation: "auto" }))).toMatchObject({
      status: 400,
      param: "input",
    })
  })

  // Catches a generation that continues after its client has disconnected.
  test("end when the client disconnects", async () => {
    const openai = getClient()
    const stream = await openai.responses.create({ model: "any", input: "Go on!", stream: true })
    for await (const event of stream) if (event.type === "response.output_text.delta") break
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => openai.responses.create({ model: "any", input: "Hi." })),
    )
    expect(answers.every((answer) => answer.output_text === greeting)).toBe(true)
  })

  // Catches a crash that ends a stream as if it were complete.
  test("report an engine that crashed during a stream", async () => {
    const stream = await getClient().responses.create({ model: "any", input: "Go on!", stream: true })
    const seen: string[] = []
    const cut = (async () => {
      for await (const event of stream) {
        seen.push(event.type)
        if (event.type === "response.output_text.delta") servers.model.processes.at(-1)?.kill()
      }
    })()
    expect((await getError(cut)).code).toBe("engine_crashed")
    expect(seen.at(-1)).toBe("response.failed")
  })

  test("require a credential", async () => {
    const anonymous = new OpenAI({ baseURL: `${servers.local.url}/api/v1`, apiKey: "nobody", maxRetries: 0 })
    expect(await getError(anonymous.responses.create({ model: "any", input: "Hi." }))).toMatchObject({
      status: 401,
    })
  })
})

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}
