import { z } from "zod"
import type { ChatEvent, MessagePart } from "../../../../shared/contract/chat.ts"
import { openOutbound } from "../../../core/outbound/testing/open-outbound.ts"
import { createRemoteEngine } from "../../../engines/remote/remote-engine.ts"
import { type ChatServer, type ChatServerOptions, startChatServer } from "../../../testing/chat-server.ts"
import {
  type ModelRequest,
  type ModelServer,
  type Round,
  startModelServer,
} from "../../../testing/model-servers/model-server.ts"
import {
  defineTool,
  type Tool,
  type ToolContext,
  type ToolEffect,
  type ToolResult,
} from "../../../tools/tool.ts"
import type { ChatAssistant } from "../turn/turn.ts"

export const boxAddress = "http://127.0.0.1:8484"

export const helper: ChatAssistant = {
  id: "helper",
  name: "helper",
  instructions: "Be brief.",
  vectorIds: [],
  builtInTools: { calculate: true, memory: true, plot: true, codeInterpreter: true },
  permissionMode: "auto",
  modelId: null,
  owned: true,
  isByScopedKey: false,
}

/** An assistant that states its name in its instructions and may delegate. */
export const named = (name: string, changes: Partial<ChatAssistant> = {}): ChatAssistant => ({
  ...helper,
  id: name,
  name,
  instructions: `I am ${name}.`,
  builtInTools: { assistant: true, memory: true, calculate: true },
  ...changes,
})

/** Creates a tool with the key, effects and arguments of a real one. The test supplies its behaviour. */
export function testTool(
  key: "calculate" | "memory",
  run: (text: string, context: ToolContext) => ToolResult | Promise<ToolResult>,
): Tool {
  const effects: Record<typeof key, ToolEffect[]> = { calculate: ["read"], memory: ["write"] }
  return defineTool({
    key,
    description: `Does ${key}.`,
    effects: effects[key],
    result: { trusted: true, private: key === "memory" },
    args: z.object({ text: z.string() }),
    run: async ({ text }, context) => run(text, context),
  })
}

export interface ToolTalk extends AsyncDisposable {
  server: ChatServer
  model: ModelServer
  /** Sends one message, or a history, to the assistant and returns all events of its stream. */
  ask(
    content: string,
    options?: { id?: string; assistantId?: string | null; before?: string[] },
  ): Promise<ChatEvent[]>
  /** Returns the stored parts of the newest answer. */
  parts(id?: string): Promise<MessagePart[]>
}

/** Starts a chat server whose model's answers are supplied by the test. */
export async function startToolTalk(
  speak: (request: ModelRequest, round: number) => Round | Promise<Round>,
  options: Omit<ChatServerOptions, "engine"> & { contextSize?: number } = {},
): Promise<ToolTalk> {
  await using stack = new AsyncDisposableStack()
  const { contextSize = 8192, ...rest } = options
  const model = stack.use(await startModelServer(speak))
  const engine = stack.use(
    createRemoteEngine({ server: { outbound: openOutbound(), baseUrl: model.baseUrl }, contextSize }),
  )
  const server = stack.use(await startChatServer({ assistants: [helper], ...rest, engine }))
  const client = server.getClient("alice")
  const resources = stack.move()
  return {
    server,
    model,
    ask(content, { id = "c1", assistantId = "helper", before = [] } = {}) {
      const earlier = before.map((text, index) => ({ role: roles[index % 2] ?? "user", content: text }))
      const messages = [...earlier, { role: "user" as const, content }]
      return collect(client.chat.send({ body: { id, messages, boxAddress, assistantId } }))
    },
    async parts(id = "c1") {
      const { chat } = await client.conversations.read({ params: { id } })
      return chat.messages.at(-1)?.parts ?? []
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

const roles = ["user", "assistant"] as const

export async function collect(events: AsyncIterable<ChatEvent>): Promise<ChatEvent[]> {
  const seen: ChatEvent[] = []
  for await (const event of events) seen.push(event)
  return seen
}

export const of = <Type extends ChatEvent["type"]>(events: readonly ChatEvent[], type: Type) =>
  events.filter((event): event is Extract<ChatEvent, { type: Type }> => event.type === type)

export const getText = (events: readonly ChatEvent[]) =>
  of(events, "text-delta")
    .map(({ textDelta }) => textDelta)
    .join("")
