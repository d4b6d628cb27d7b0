// Additional time to the first token of a new chat when 50 tools are connected, or when the model may search a folder itself. The model's
// prompts have a cost.
import { GeneralChatWrapper } from "node-llama-cpp"
import { existsSync, mkdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { setTimeout as wait } from "node:timers/promises"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { spawnNodeChild } from "../src/box/core/children/child.ts"
import { silentLogger } from "../src/box/core/logging/logger.ts"
import type { ChatEngine, ChatModel } from "../src/box/engines/engine.ts"
import { createGpuChoice } from "../src/box/engines/llama/process/gpu-choice.ts"
import { createLlamaEngine } from "../src/box/engines/llama/llama-engine.ts"
import { buildRandomModel } from "../src/box/engines/llama/testing/random-model.ts"
import { createFolderTools } from "../src/box/features/chat/folder-tools/folder-tools.ts"
import { citationRules, quotePassages } from "../src/box/features/chat/grounding/cite-passages.ts"
import { createToolSet } from "../src/box/features/chat/tool-calls/tool-set.ts"
import type { ChatAssistant } from "../src/box/features/chat/turn/turn.ts"
import {
  foundPassages,
  noFiles,
  startChatServer,
  testPassage,
  type ChatServer,
} from "../src/box/testing/chat-server.ts"
import { noIntegrations } from "../src/box/tools/registry.ts"
import type { Tool } from "../src/box/tools/tool.ts"
import { printResults, type BenchResult } from "./result.ts"
import { atMost } from "./watched-box.ts"

const rounds = 5
/** Time to lay out the tools of the next chat, before the model reads them ahead. */
const readingMs = 500
const toolCount = 50
const things = [
  "issue",
  "project",
  "message",
  "event",
  "contact",
  "invoice",
  "page",
  "file",
  "task",
  "customer",
]
const actions = ["list", "search", "create", "update", "archive"]
const question =
  "Two of our customers wrote this morning that the invoice of last month names the wrong project. Please find out what " +
  "they were sent, compare it with what we agreed on in the messages of May, and tell me in a few sentences what I should " +
  "answer them today."

export async function run(): Promise<BenchResult[]> {
  const directory = join(tmpdir(), "casella-bench")
  mkdirSync(directory, { recursive: true })
  const modelPath = join(directory, "random-243m-words-6.gguf")
  if (!existsSync(modelPath)) buildRandomModel(modelPath, await vocabulary())
  await using engine = createLlamaEngine({
    modelPath,
    spawn: spawnNodeChild,
    gpu: createGpuChoice({ file: join(directory, "gpu.json"), spawn: spawnNodeChild, logger: silentLogger }),
    logger: silentLogger,
  })
  await using server = await startChatServer({
    engine: addPreparation(engine),
    assistants: [
      assistant("none", {}),
      assistant("one", { calculate: true }),
      assistant("many", { calculate: true, int_jira: true }),
    ],
    tools: [{ ...tool("calculate", "calculates", "an expression"), key: "calculate" }],
    integrations: { ...noIntegrations, tools: () => Promise.resolve(tools) },
  })
  await measureFirstToken(server, "none", "loads the model")
  const cold = await measureFirstToken(server, "many", "cold")
  const none: FirstToken[] = []
  const one: FirstToken[] = []
  const many: FirstToken[] = []
  for (let round = 0; round < rounds; round++) {
    none.push(await measureFirstToken(server, "none", `none ${round}`))
    one.push(await measureFirstToken(server, "one", `one ${round}`))
    many.push(await measureFirstToken(server, "many", `many ${round}`))
  }
  const { withoutTools, withTools } = await aboutFolder(engine)
  const share = (of: FirstToken[]) => (least(many, "ms") / least(of, "ms")) * 100
  return [
    { name: "first token, no tools", value: least(none, "ms"), unit: "ms" },
    { name: "first token, one built-in tool", value: least(one, "ms"), unit: "ms" },
    { name: "first token, one built-in tool and 50 MCP tools", value: least(many, "ms"), unit: "ms" },
    atMost("first token with 50 MCP tools, share of that with none", share(one), "%", 110),
    atMost("first token with 50 MCP tools, share of that without tools", share(none), "%", 110),
    {
      name: "first token, one built-in tool and 50 MCP tools, nothing prefilled",
      value: cold.ms,
      unit: "ms",
    },
    {
      name: "first token about a folder, without folder tools",
      value: least(withoutTools, "ms"),
      unit: "ms",
    },
    atMost(
      "first token about a folder, with folder tools, share of that without",
      (least(withTools, "ms") / least(withoutTools, "ms")) * 100,
      "%",
      110,
    ),
    {
      name: "prompt tokens about a folder, without folder tools",
      value: least(withoutTools, "prompt"),
      unit: "",
    },
    { name: "prompt tokens about a folder, with folder tools", value: least(withTools, "prompt"), unit: "" },
    {
      name: "evaluated tokens about a folder, without folder tools",
      value: least(withoutTools, "evaluated"),
      unit: "",
    },
    {
      name: "evaluated tokens about a folder, with folder tools",
      value: least(withTools, "evaluated"),
      unit: "",
    },
    { name: "evaluated tokens, no tools", value: least(none, "evaluated"), unit: "" },
    {
      name: "evaluated tokens, one built-in tool and 50 MCP tools",
      value: least(many, "evaluated"),
      unit: "",
    },
    {
      name: "evaluated tokens, one built-in tool and 50 MCP tools, nothing prefilled",
      value: cold.evaluated,
      unit: "",
    },
  ]
}

const least = (all: FirstToken[], of: keyof FirstToken) => Math.min(...all.map((each) => each[of]))

/** Different words for each question, so that the model has evaluated none of them. */
const passagesFor = (query: string) =>
  Array.from({ length: 5 }, (_, index) => testPassage(`p${index}`, `${query} ${index}`))

/** New chats about a folder with five passages, alternately with a model that gets the folder's tools and one that doesn't. */
async function aboutFolder(engine: ChatEngine): Promise<Record<"withoutTools" | "withTools", FirstToken[]>> {
  const open = (callsFunctions: boolean) => {
    const model = Object.create(engine.model, { callsFunctions: { value: callsFunctions } }) as ChatModel
    return startChatServer({
      engine: Object.assign(addPreparation(engine), { model }),
      folders: ["folder"],
      search: ({ query }) => Promise.resolve(foundPassages(passagesFor(query))),
    })
  }
  await using withoutTools = await open(false)
  await using withTools = await open(true)
  const all: Record<"withoutTools" | "withTools", FirstToken[]> = { withoutTools: [], withTools: [] }
  for (let round = 0; round < rounds; round++)
    for (const [name, server] of Object.entries({ withoutTools, withTools })) {
      await server.getClient("alice").chat.prepare({ body: { vector: ["folder"] } })
      await wait(readingMs)
      await prepared
      all[name as keyof typeof all].push(await measureFirstToken(server, null, `${name} ${round}`))
    }
  return all
}

interface FirstToken {
  ms: number
  prompt: number
  /** Prompt tokens that weren't evaluated before. */
  evaluated: number
}

let prepared = Promise.resolve()
let evaluated = Number.NaN
let prompt = Number.NaN

/** Users read the last answer before they ask again, so reading ahead has finished by then. Only the first token is measured. */
function addPreparation(engine: ChatEngine): ChatEngine {
  const prepare: ChatEngine["prepare"] = (beginning) => (prepared = engine.prepare(beginning))
  const generate: ChatEngine["generate"] = async function* (request, signal) {
    for await (const event of engine.generate({ ...request, maxTokens: 2 }, signal)) {
      if (event.type === "start")
        [prompt, evaluated] = [event.promptTokens, event.promptTokens - event.cachedTokens]
      yield event
    }
  }
  return Object.assign(Object.create(engine) as ChatEngine, { prepare, generate })
}

/** Asks in an assistant's chat, or in one about the folder. */
async function measureFirstToken(
  server: ChatServer,
  assistantId: string | null,
  id: string,
): Promise<FirstToken> {
  const boxAddress = server.url
  const body = {
    id,
    boxAddress,
    ...(assistantId === null ? { vector: ["folder"] } : { assistantId }),
    messages: [{ role: "user" as const, content: `${id}: ${question}` }],
  }
  const client = server.getClient("alice")
  const started = performance.now()
  let ms = Number.NaN
  for await (const event of client.chat.send({ body })) {
    if (event.type === "error") throw new Error(event.error)
    if (event.type === "text-delta" && Number.isNaN(ms)) ms = performance.now() - started
  }
  await wait(readingMs)
  await prepared
  return { ms, prompt, evaluated }
}

const assistant = (id: string, builtInTools: Record<string, boolean>): ChatAssistant => ({
  id,
  name: id,
  instructions: "You help the people of a small company with their work. Be brief and friendly.",
  vectorIds: [],
  builtInTools,
  permissionMode: "auto",
  modelId: null,
  owned: true,
  isByScopedKey: false,
})

const text = (description: string) => ({ type: "string", description })

const tool = (name: string, action: string, thing: string): Tool => ({
  key: "int_jira",
  name,
  description: `Use this to ${action} one or more of the ${thing} entries in the account of the user.`,
  effects: () => ["read"],
  result: { trusted: false, private: true },
  parameters: {
    type: "object",
    properties: { query: text(`Words that the ${thing} has in its title`), limit: { type: "integer" } },
    required: ["query"],
  },
  run: () => Promise.resolve({ content: "" }),
})

const tools: Tool[] = Array.from({ length: toolCount }, (_, index) => {
  const action = actions[index % actions.length] ?? ""
  const thing = things[Math.floor(index / actions.length)] ?? ""
  return tool(`${action}_${thing}`, action, thing)
})

/** The prompt text in pieces like those of a trained model: words with the preceding space, and runs of other characters. */
async function vocabulary(): Promise<string[]> {
  const model = { id: "any", kind: "local", contextSize: 8_192 }
  const engine = {
    model,
    countTokens: (text: string) => Promise.resolve(text.length),
  } as unknown as ChatEngine
  const toolSet = await createToolSet(
    engine,
    { tools, missing: [], standing: { mode: "auto", refuses: null } },
    { questions: [], parts: [] },
  )
  const taught = new GeneralChatWrapper().generateAvailableFunctionsSystemText({ any: {} }, {}).toString()
  const folderTools = createFolderTools(
    noFiles(() => false),
    () => {
      throw new Error("They are described only.")
    },
  )
  const described = [...tools, ...(toolSet?.functions([]) ?? []), ...folderTools].map((each) =>
    JSON.stringify(each, null, 2),
  )
  const rules = [citationRules, quotePassages([])]
  const text = [
    question,
    ...rules,
    assistant("", {}).instructions,
    taught,
    toolSet?.rules,
    ...described,
  ].join("\n")
  const pieces = text.match(/[ _]?\p{L}+|\p{N}|[^\p{L}\p{N}]+/gu) ?? []
  return [...new Set(pieces)].filter(({ length }) => length > 1)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) printResults(await run())
