import { openOutbound } from "../core/outbound/testing/open-outbound.ts"
import { createRemoteEngine } from "../engines/remote/remote-engine.ts"
import { type ChatServer, startChatServer, startTestEngine, type TestEngine } from "./chat-server.ts"
import { type ModelRequest, startModelServer } from "./model-servers/model-server.ts"

export const greeting = "Hello from the scripted model."
export const afterResult = "The answer is 4."

/** Two servers whose models give the same answers. One model runs on this computer, the other on a remote server. */
export interface ChatServers extends AsyncDisposable {
  local: ChatServer
  remote: ChatServer
  /** The engine on this computer. */
  model: TestEngine
  /** Requests received by the remote model, oldest first. */
  asked: ModelRequest[]
}

/**
 * A question ending in `?` calls `calculate`, or on the remote model the first tool offered; its result is answered with "The answer is
 * 4.". Anything else gets the greeting. The local model also gives a very long answer to `!`, and thinks first on `;`.
 */
export async function startChatServers(): Promise<ChatServers> {
  await using stack = new AsyncDisposableStack()
  const call = { name: "calculate", args: { expression: "2+2" } }
  const model = startTestEngine(65_536, {
    reply: greeting,
    replies: {
      "!": { forever: " on and on" },
      "?": { call },
      "\n": afterResult,
      ";": { thought: "Let me see", answer: "Done" },
    },
  })
  stack.use(model.engine)
  const modelServer = stack.use(
    await startModelServer(({ messages, tools }) => {
      const newest = messages.at(-1)
      const name = tools?.[0]?.function.name ?? call.name
      if (newest?.role === "tool") return { text: afterResult }
      return newest?.content?.endsWith("?") === true ? { calls: [{ ...call, name }] } : { text: greeting }
    }),
  )
  const far = createRemoteEngine({ server: { baseUrl: modelServer.baseUrl, outbound: openOutbound() } })
  stack.use(far)
  const local = stack.use(await startChatServer({ engine: model.engine }))
  const remote = stack.use(await startChatServer({ engine: far }))
  const resources = stack.move()
  return {
    local,
    remote,
    model,
    asked: modelServer.requests,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
