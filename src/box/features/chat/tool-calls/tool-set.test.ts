import { afterEach, describe, expect, test } from "vitest"
import type { MessagePart } from "../../../../shared/contract/chat.ts"
import type { ChatEngine } from "../../../engines/engine.ts"
import { createRemoteEngine } from "../../../engines/remote/remote-engine.ts"
import { openOutbound } from "../../../core/outbound/testing/open-outbound.ts"
import type { Tool } from "../../../tools/tool.ts"
import { helper, startToolTalk, testTool } from "../testing/tool-talk.ts"
import { createToolSet, type EarlierTurns } from "./tool-set.ts"

let stack = new AsyncDisposableStack()
afterEach(async () => {
  await stack.disposeAsync()
  stack = new AsyncDisposableStack()
})

const things = ["invoices", "letters", "pictures", "weather"]
const more = "And much more is said of it here. "
const linked = (name: string, words = 10): Tool => ({
  ...testTool("calculate", () => ({ content: `of ${name}` })),
  key: "int_jira",
  name,
  description: `About ${name}. ${more.repeat(words)}`,
})
const calculate = testTool("calculate", () => ({ content: "" }))

/** An engine that counts tokens and has a known context window. */
function getEngine(kind: "local" | "remote", contextSize: number): ChatEngine {
  const engine = stack.use(
    createRemoteEngine({
      server: { outbound: openOutbound(), baseUrl: "http://127.0.0.1:9/v1" },
      contextSize,
    }),
  )
  return Object.assign(Object.create(engine) as ChatEngine, { model: { ...engine.model, kind } })
}

async function layOut(engine: ChatEngine, tools: readonly Tool[], earlier: Partial<EarlierTurns> = {}) {
  const toolSet = await createToolSet(
    engine,
    { tools, missing: [], standing: { mode: "auto", refuses: null } },
    { questions: [], parts: [], ...earlier },
  )
  return (parts: readonly MessagePart[] = []) => toolSet?.functions(parts) ?? []
}
const getNames = (functions: { name: string }[]) => functions.map(({ name }) => name)

describe("tools of accounts and servers", () => {
  test("are described to the model if there are few", async () => {
    const functions = await layOut(
      getEngine("local", 8192),
      [calculate, ...things.map((name) => linked(name, 1))],
      {
        questions: ["How is the weather?"],
      },
    )
    expect(functions().map(({ name, hidden }) => [name, hidden])).toEqual(
      ["calculate", ...things].map((name) => [name, undefined]),
    )
  })

  // Catches tool lists that fill the context window, or that differ with each question and so defeat the model's cache.
  test("are hidden behind one tool if there are many, but a local model can still call them", async () => {
    const tools = [calculate, ...things.map((name) => linked(name))]
    const engine = getEngine("local", 2048)
    const functions = await layOut(engine, tools)
    const described = functions().filter(({ hidden }) => hidden !== true)
    expect(getNames(described)).toEqual(["calculate", "findTools"])
    expect(getNames(functions().filter(({ hidden }) => hidden === true))).toEqual(things)
    const asked = await layOut(engine, tools, { questions: ["How is the weather?"] })
    expect(asked().filter(({ hidden }) => hidden !== true)).toEqual(described)
  })

  // Catches a remote server that can't call a tool that was found, and a list that exceeds its share.
  test("are sent to a remote server after they were found or when a question is about them", async () => {
    const tools = things.map((name) => linked(name))
    const engine = getEngine("remote", 2048)
    expect(getNames((await layOut(engine, tools))())).toEqual(["findTools"])
    const functions = await layOut(engine, tools, { questions: ["How is the weather?", "Thanks."] })
    expect(getNames(functions())).toEqual(["findTools", "weather"])
    const found: MessagePart[] = [
      { type: "tool-call", toolCallId: "a", toolName: "findTools", args: { query: "post" } },
      {
        type: "tool-result",
        toolCallId: "a",
        result: { functions: [{ name: "letters" }, { name: "nothing" }] },
      },
    ]
    expect(getNames(functions(found))).toEqual(["findTools", "letters", "weather"])
    const small = await layOut(getEngine("remote", 1024), tools, { questions: things })
    expect(getNames(small())).toEqual(["findTools", "weather"])
  })
})

// Catches built-in tools that fill a small context window, or that are lost in it.
test("hides built-in tools only if they don't fit in a quarter of the context window", async () => {
  const tools = things.map((name) => ({ ...linked(name), key: name }))
  const functions = await layOut(getEngine("local", 2200), tools)
  const described = functions().filter(({ hidden }) => hidden !== true)
  expect(getNames(described)).toEqual(["invoices", "letters", "findTools"])
  expect(getNames(functions())).toEqual(["invoices", "letters", "findTools", "pictures", "weather"])
})

// Catches tools that can be found but not called.
test("lets a model find a hidden tool, call it, and still know it in the next answer", async () => {
  const tools = things.map((name) => linked(name, 60))
  const finding = { id: "call_find", name: "findTools", args: { query: "letters" } }
  const talk = stack.use(
    await startToolTalk(
      (_, round) =>
        round === 1
          ? { calls: [finding] }
          : round === 2
            ? { calls: [{ id: "call_read", name: "letters", args: { text: "all" } }] }
            : { text: "." },
      {
        assistants: [{ ...helper, builtInTools: { int_jira: true } }],
        integrations: {
          tools: () => Promise.resolve(tools),
          linked: () => Promise.resolve(new Set()),
          servers: () => Promise.resolve([]),
        },
      },
    ),
  )
  const events = await talk.ask("Have we got post?")
  const results = events.flatMap((event) => (event.type === "tool-result" ? [event.result] : []))
  expect(results).toEqual([
    { functions: [expect.objectContaining({ name: "letters" }) as unknown] },
    "of letters",
  ])
  const sent = (at: number) =>
    getNames((talk.model.requests.at(at)?.tools ?? []).map((tool) => tool.function))
  expect(sent(0)).toEqual(["findTools"])
  expect(sent(1)).toEqual(["findTools", "letters"])
  await talk.ask("And what do they say?", { before: ["Have we got post?", "."] })
  expect(sent(-1)).toEqual(["findTools", "letters"])
})
