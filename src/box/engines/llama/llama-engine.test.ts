import { writeFileSync } from "node:fs"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, test } from "vitest"
import { type Child, type SpawnChild, spawnNodeChild } from "../../core/children/child.ts"
import { silentLogger } from "../../core/logging/logger.ts"
import type { ChatEngine, EngineEvent, EngineFinish, EngineMessage, GenerateRequest } from "../engine.ts"
import { createLlamaEngine } from "./llama-engine.ts"
import { ensureTestModel, testGpu } from "./testing/test-models.ts"

const children: Child[] = []
const spawn: SpawnChild = (options) => {
  const child = spawnNodeChild(options)
  children.push(child)
  return child
}

function start(modelPath = ensureTestModel(), contextSize = 2048): ChatEngine {
  return createLlamaEngine({ modelPath, contextSize, spawn, gpu: testGpu, logger: silentLogger })
}

/** Like Gemma's template. */
const strictTemplate = `{% if messages[0]['role'] == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}{%
for message in messages %}{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}{{
raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') }}{% endif %}{% endfor %}`

const hello = "Hello from the scripted model."
const engine = start()
afterAll(() => engine[Symbol.asyncDispose]())

/** Enough context that no endless answer ends by itself before it is stopped. */
const roomySize = 65_536
const startRoomy = () =>
  start(
    ensureTestModel({ reply: hello, replies: { "!": { forever: " on and on" } }, contextSize: roomySize }),
    roomySize,
  )
const roomy = startRoomy()
afterAll(() => roomy[Symbol.asyncDispose]())

function request(content: string, more: Partial<GenerateRequest> = {}): GenerateRequest {
  return {
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content },
    ],
    ...more,
  }
}

interface Answer {
  text: string
  events: EngineEvent[]
  start: Extract<EngineEvent, { type: "start" }>
  finish: EngineFinish
}

async function ask(
  body: GenerateRequest,
  signal = new AbortController().signal,
  on = engine,
): Promise<Answer> {
  const events: EngineEvent[] = []
  for await (const event of on.generate(body, signal)) events.push(event)
  const [first] = events
  const last = events.at(-1)
  if (first?.type !== "start" || last?.type !== "finish") throw new Error(JSON.stringify(events))
  const text = events.map((event) => (event.type === "text" ? event.text : "")).join("")
  return { text, events, start: first, finish: last }
}

/** Starts an answer that never ends by itself; settles when it starts to generate. */
async function speakForever(more: Partial<GenerateRequest> = {}, on = roomy) {
  const stop = new AbortController()
  const events = on.generate(request("go on!", more), stop.signal)[Symbol.asyncIterator]()
  for (;;) {
    const { value } = (await events.next()) as { value: EngineEvent }
    if (value.type === "text") break
  }
  const ended = (async (): Promise<EngineEvent> => {
    for (;;) {
      const { value } = (await events.next()) as { value: EngineEvent }
      if (value.type === "finish") return value
    }
  })()
  ended.catch(() => undefined)
  return { stop: () => stop.abort(), ended }
}

describe("an answer", () => {
  test("is the model's reply to its own template, with usage", async () => {
    const { text, start, finish } = await ask(request("hi"))
    expect(text).toBe("Hello from the scripted model.")
    expect(start).toMatchObject({ droppedMessages: 0 })
    expect(finish).toMatchObject({ finishReason: "stop", usage: { completionTokens: 5 } })
    expect(finish.usage.promptTokens).toBe(start.promptTokens)
    expect(finish.usage.firstTokenMs).toBeGreaterThan(0)
    expect(engine.state).toMatchObject({ status: "ready", gpu: false })
  })

  test("ends at the token limit and before a stop text, which isn't shown", async () => {
    const cut = await ask(request("go on!", { maxTokens: 7 }))
    expect(cut.finish).toMatchObject({ finishReason: "length", usage: { completionTokens: 7 } })
    const stopped = await ask(request("hi", { stop: ["scripted"] }))
    expect(stopped.text).toBe("Hello from the ")
    expect(stopped.finish.finishReason).toBe("stop")
  })

  // Catches a space that is spelled `▁`, a part of a stop string that is shown, and text that is held back permanently.
  test("is the text before the first stop string, wherever tokens start", async () => {
    await using other = start(ensureTestModel({ reply: hello, withoutSpaceToken: true }))
    const say = (stop: string[]) => ask(request("hi", { stop }), undefined, other)
    for (const stop of ["Hello", "rom", "m the scr", " scripted", "ted model", " ", "."]) {
      const { text, finish } = await say([stop])
      expect({ stop, text }).toEqual({ stop, text: hello.slice(0, hello.indexOf(stop)) })
      expect(finish).toMatchObject({ finishReason: "stop", stopSequence: stop })
    }
    expect((await say(["scripted models", "the scripted", "e scripted"])).text).toBe("Hello from ")
    const { text, finish } = await say(["scripted models", "model. "])
    expect(text).toBe(hello)
    expect(finish.stopSequence).toBeUndefined()
  })

  // Catches a conversation that starts with the model's words and fails with an internal error, or loses them.
  test("works for a conversation that the model starts, whatever its template allows", async () => {
    const messages = [
      { role: "assistant" as const, content: "How can I help?" },
      { role: "user" as const, content: "hi" },
    ]
    await using strict = start(ensureTestModel({ reply: hello, templateStart: strictTemplate }))
    for (const body of [
      { messages },
      { messages: [{ role: "system" as const, content: "Be brief." }, ...messages] },
      { messages: [...messages, ...messages] },
    ]) {
      const { text, start } = await ask(body, undefined, strict)
      expect(text).toBe(hello)
      expect(start).toMatchObject({ droppedMessages: 0 })
      expect(start.promptTokens).toBeGreaterThan("How can I help?".length) // byte by byte
    }
  })

  test("is refused with the reason of a template that doesn't accept such a conversation", async () => {
    const templateStart =
      "{% if messages | length > 20 %}{{ raise_exception('Only ten turns, please.') }}{% endif %}"
    await using other = start(ensureTestModel({ reply: hello, templateStart }))
    const turn = [
      { role: "user" as const, content: "one" },
      { role: "assistant" as const, content: "two" },
    ]
    const messages = [
      ...Array.from({ length: 12 }, () => turn).flat(),
      { role: "user" as const, content: "hi" },
    ]
    await expect(ask({ messages }, undefined, other)).rejects.toMatchObject({
      code: "validation",
      message: expect.stringContaining("Only ten turns, please."),
    })
    expect((await ask(request("hi"), undefined, other)).text).toBe(hello)
  })

  test("never splits a character, and works for a model without a template too", async () => {
    const modelPath = ensureTestModel({ reply: { bytes: "🙂ж" }, withoutTemplate: true })
    await using other = start(modelPath)
    const { text, events } = await ask(request("hi"), undefined, other)
    expect(text).toBe("🙂ж")
    expect(events.filter((event) => event.type === "text" && event.text.includes("\uFFFD"))).toEqual([])
  })

  test("separates thoughts from text", async () => {
    await using other = start(ensureTestModel({ reply: { thought: "Let me see.", answer: "Four it is." } }))
    const { text, events } = await ask(request("hi"), undefined, other)
    expect(text).toBe("Four it is.")
    expect(events.map((event) => (event.type === "reasoning" ? event.text : "")).join("")).toBe("Let me see.")
  })

  test("accepts any sampling setting", async () => {
    const { text } = await ask(
      request("hi", { temperature: 0, topP: 0.1, seed: 42, presencePenalty: 1, frequencyPenalty: -1 }),
    )
    expect(text).toBe("Hello from the scripted model.")
  })

  test("is JSON if required", async () => {
    const modelPath = ensureTestModel({ reply: '{"city":"Rome"}' })
    await using other = start(modelPath)
    const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] }
    const bySchema = await ask(
      request("hi", { responseFormat: { type: "json_schema", schema } }),
      undefined,
      other,
    )
    expect(JSON.parse(bySchema.text)).toEqual({ city: "Rome" })
    const free = await ask(request("hi", { responseFormat: { type: "json_object" } }), undefined, other)
    expect(JSON.parse(free.text)).toEqual({ city: "Rome" })
  })
})

describe("a schema that llama.cpp can't accept", () => {
  const item = { type: "object", properties: { secret: { type: "string" } } }
  const tooMuch = { type: "array", minItems: 2000, items: item }
  const functions = [
    { name: "fine", parameters: { type: "object", properties: { text: { type: "string" } } } },
    { name: "greedy", parameters: tooMuch },
  ]

  // Catches a 500 for the caller's mistake, and an answer that is interrupted in the middle of a call.
  test.each([
    ["response_format.json_schema.schema", { responseFormat: { type: "json_schema", schema: tooMuch } }],
    ["tools[1].function.parameters", { functions }],
    ["tools[1].function.parameters", { functions, functionChoice: "required" }],
  ] satisfies [string, Partial<GenerateRequest>][])("is the caller's mistake: %s", async (field, more) => {
    await expect(ask(request("hi", more))).rejects.toMatchObject({ code: "validation", details: [{ field }] })
  })

  // Catches native output between the JSON lines of the log, and a user's schema in the log.
  test("is logged only with its reason", async () => {
    const logged = Promise.withResolvers<object>()
    const logger = { ...silentLogger, warn: (fields: object) => logged.resolve(fields) }
    await using other = createLlamaEngine({ modelPath: ensureTestModel(), spawn, gpu: testGpu, logger })
    const responseFormat = { type: "json_schema" as const, schema: tooMuch }
    const answer = ask(request("hi", { responseFormat }), undefined, other)
    await expect(answer).rejects.toMatchObject({ code: "validation" })
    const { output } = (await logged.promise) as { output: string }
    expect(output).toContain("grammar")
    expect(output).not.toContain("secret")
  })
})

describe("function calls", () => {
  const functions = [
    {
      name: "calculate",
      description: "Calculates.",
      parameters: {
        type: "object",
        properties: { expression: { type: "string" } },
        required: ["expression"],
      },
    },
  ]

  test("have arguments, and their result is part of the next answer", async () => {
    const messages: EngineMessage[] = [{ role: "user", content: "2+2?" }]
    const first = await ask({ messages, functions })
    const call = first.events.find((event) => event.type === "tool-call")
    if (call?.type !== "tool-call") throw new Error("The model called nothing.")
    expect(JSON.parse(call.args)).toEqual({ expression: "2+2" })
    expect(first.finish.finishReason).toBe("tool-calls")
    messages.push(
      { role: "assistant", content: "", toolCalls: [call] },
      { role: "tool", content: "4", toolCallId: call.toolCallId },
    )
    const second = await ask({ messages, functions })
    expect(second.text).toBe("The answer is 4.")
  })

  // Catches a tool that can't be called after it was found, and a prompt that includes all tools that could be found.
  test("can be made for hidden functions, which the prompt doesn't mention", async () => {
    const other = { name: "look_up", description: "Looks up a word." }
    const hidden = functions.map((each) => ({ ...each, hidden: true }))
    const without = await ask(request("hi?", { functions: [other] }))
    const { events, finish } = await ask(request("hi?", { functions: [other, ...hidden] }))
    expect(events.find(({ type }) => type === "tool-call")).toMatchObject({ name: "calculate" })
    expect(finish.usage.promptTokens).toBe(without.finish.usage.promptTokens)
  })

  test("aren't made if they aren't wanted", async () => {
    const { events } = await ask(request("2+2?", { functions, functionChoice: "none" }))
    expect(events.some(({ type }) => type === "tool-call")).toBe(false)
  })

  test("can be required from a model that wants to talk", async () => {
    const modelPath = ensureTestModel({ reply: '{"name":"calculate","arguments":{"expression":"1"}}' })
    await using other = start(modelPath)
    for (const functionChoice of ["required", { name: "calculate" }] as const) {
      const { events, text } = await ask(request("hi", { functions, functionChoice }), undefined, other)
      expect(text).toBe("")
      expect(events.at(-2)).toMatchObject({
        type: "tool-call",
        name: "calculate",
        args: '{"expression":"1"}',
      })
      expect(events.at(-1)).toMatchObject({ finishReason: "tool-calls" })
    }
  })

  test("can't be combined with a response format, and the chosen function must exist", async () => {
    const both = ask(request("hi", { functions, responseFormat: { type: "json_object" } }))
    await expect(both).rejects.toMatchObject({ code: "validation" })
    const missing = ask(request("hi", { functions, functionChoice: { name: "other" } }))
    await expect(missing).rejects.toMatchObject({ code: "validation" })
  })
})

describe("the context", () => {
  const story = "once upon a time ".repeat(20)

  test("evaluates only the new part of a conversation's next turn, even while others run", async () => {
    const messages: EngineMessage[] = [{ role: "user", content: story }]
    const first = await ask({ messages, conversationKey: "a" })
    for (const conversationKey of ["b", "c", "d"]) await ask(request("hi", { conversationKey }))
    messages.push({ role: "assistant", content: first.text }, { role: "user", content: "and then" })
    const second = await ask({ messages, conversationKey: "a" })
    expect(second.start.cachedTokens).toBeGreaterThanOrEqual(first.start.promptTokens)
    expect(second.start.promptTokens - second.start.cachedTokens).toBeLessThan(60)
  })

  test("that overflows loses the oldest turns, but never the system message or the newest turn", async () => {
    const messages: EngineMessage[] = [{ role: "system", content: "Be brief." }]
    for (let turn = 0; turn < 12; turn++)
      messages.push({ role: "user", content: `${turn} ${story}` }, { role: "assistant", content: "Yes." })
    messages.push({ role: "user", content: "hi" })
    const { start, text } = await ask({ messages })
    expect(start.droppedMessages).toBeGreaterThan(10)
    expect(start.droppedMessages % 2).toBe(0)
    expect(start.promptTokens).toBeLessThan(2048)
    expect(text).toBe("Hello from the scripted model.")
  })

  test("that is too small for the newest message alone is the caller's mistake", async () => {
    const tooLong = ask({ messages: [{ role: "user", content: "x".repeat(3000) }] })
    await expect(tooLong).rejects.toMatchObject({ code: "validation", message: /2048 tokens/ })
  })

  test("that fills up during an answer ends it with 'length'", async () => {
    const { finish } = await ask(request(`${"x".repeat(1900)}!`))
    expect(finish.finishReason).toBe("length")
    expect(finish.usage.completionTokens).toBeLessThan(150)
  })
})

describe("stopping", () => {
  test("stops generation in the engine, fifty times in a row, and leaks no slot", async () => {
    for (let round = 0; round < 50; round++) {
      const { stop, ended } = await speakForever()
      stop()
      expect(await ended).toMatchObject({ finishReason: "aborted" })
    }
    const answers = await Promise.all(
      [1, 2, 3, 4, 5, 6].map(async () => ask(request("hi"), undefined, roomy)),
    )
    expect(answers.map(({ text }) => text)).toEqual(Array.from({ length: 6 }, () => hello))
  })

  test("works while a prompt is read, while waiting in the queue and before the call", async () => {
    const early = new AbortController()
    early.abort()
    const never = []
    for await (const event of engine.generate(request("hi"), early.signal)) never.push(event)
    expect(never).toMatchObject([{ type: "finish", finishReason: "aborted" }])

    const stop = new AbortController()
    const events = []
    for await (const event of roomy.generate(request(`${"y".repeat(1500)}!`), stop.signal)) {
      if (event.type !== "text") events.push(event) // a slow computer may show that it is stopped late
      if (event.type === "start") stop.abort()
    }
    expect(events).toMatchObject([{ type: "start" }, { type: "finish", finishReason: "aborted" }])
  })

  test("frees the slot of a caller that stops reading", async () => {
    for (let round = 0; round < 8; round++)
      for await (const event of roomy.generate(request("go on!"), new AbortController().signal))
        if (event.type === "text") break
    expect((await ask(request("hi"), undefined, roomy)).text).toBe(hello)
  })
})

describe("many concurrent requests", () => {
  const say = (more: Partial<GenerateRequest> = {}) => ask(request("hi", more), undefined, roomy)

  test("share the context as four answers; a fifth waits, and further ones are refused", async () => {
    const started = ["a", "b", "c", "d"].map((conversationKey) => speakForever({ conversationKey }))
    const fifth = say({ conversationKey: "e" })
    const crowd = Array.from({ length: 63 }, () => say())
    const refused = say()
    await expect(refused).rejects.toMatchObject({ code: "rate_limited" })
    const talking = await Promise.all(started)
    for (const { stop } of talking) stop()
    expect((await fifth).text).toBe(hello)
    expect(await Promise.all(talking.map(({ ended }) => ended))).toMatchObject(
      Array.from({ length: 4 }, () => ({ finishReason: "aborted" })),
    )
    expect(new Set((await Promise.all(crowd)).map(({ text }) => text))).toEqual(new Set([hello]))
  })
})

describe("a crash", () => {
  const crashing = startRoomy()
  afterAll(() => crashing[Symbol.asyncDispose]())

  test.each(["SIGSEGV", "SIGABRT", "SIGKILL"] as const)("by %s ends only its own answers", async (signal) => {
    await ask(request("hi"), undefined, crashing)
    const pid = children.at(-1)?.pid
    const talking = await Promise.all([speakForever({}, crashing), speakForever({}, crashing)])
    process.kill(pid ?? 0, signal)
    for (const { ended } of talking)
      await expect(ended).rejects.toMatchObject({
        code: "engine_crashed",
        message: expect.stringContaining(signal) as string,
      })
    expect((await ask(request("hi"), undefined, crashing)).text).toBe("Hello from the scripted model.")
  })
})

test("reports a file that isn't a model before anything starts, and at every use", async () => {
  const directory = mkdtempSync(join(tmpdir(), "casella-engine-"))
  const modelPath = join(directory, "letter.gguf")
  writeFileSync(modelPath, "Dear Sir")
  await using broken = start(modelPath)
  expect(broken.state).toMatchObject({ status: "failed", error: /GGUF/ })
  const before = children.length
  await expect(ask(request("hi"), undefined, broken)).rejects.toMatchObject({
    code: "unavailable",
    message: /GGUF/,
  })
  expect(children.length).toBe(before)
  rmSync(directory, { recursive: true })
})
