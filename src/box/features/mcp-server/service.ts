import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import {
  ProtocolError,
  ProtocolErrorCode,
  Server,
  WebStandardStreamableHTTPServerTransport,
  type CallToolResult,
  type Tool,
} from "@modelcontextprotocol/server"
import type { Request, Response } from "express"
import { z } from "zod"
import { mcpPath } from "../../../shared/contract/mcp-server.ts"
import { newId } from "../../core/ids.ts"
import { lazy } from "../../core/lazy.ts"
import { createCloseSignal } from "../../http/answers/answer-limits.ts"
import type { Caller } from "../../http/caller.ts"
import { toAppError } from "../../http/error-response.ts"
import { createAskTool } from "./ask-tool.ts"
import { createMcpFolderTools, readingScopes, createReadFileTool } from "./folder-tools.ts"
import { createAskPersonTool, createNotifyTool } from "./person-tools.ts"
import { listResources, readResource, resourceTemplates } from "./resources.ts"
import { type McpServerDeps, mayCall, type McpTool } from "./tool.ts"

const RequestId = z.union([z.string(), z.number()])
const Asking = z.object({ method: z.string(), id: RequestId })
const Cancelled = z.object({
  method: z.literal("notifications/cancelled"),
  params: z.object({ requestId: RequestId }),
})

/** Matches a client's cancellation to its request, because the cancellation arrives as a separate request. */
function createCancelling() {
  const asked = new Map<string, () => void>()
  const getKey = (client: string, id: string | number) => `${client} ${typeof id} ${id}`

  return {
    /** Whether the message is a cancellation. Aborts the request it names if that is still running. */
    cancel(client: string, message: unknown): boolean {
      const { data } = Cancelled.safeParse(message)
      if (data) asked.get(getKey(client, data.params.requestId))?.()
      return data !== undefined
    },

    /** Registers how to end a request, until disposed. */
    note(client: string, message: unknown, end: () => void): Disposable {
      const { data } = Asking.safeParse(message)
      const key = data ? getKey(client, data.id) : ""
      if (data) asked.set(key, end)
      return {
        [Symbol.dispose]: () => {
          if (asked.get(key) === end) asked.delete(key)
        },
      }
    },
  }
}

const instructions =
  "Casella has documents of the person whose computer this is. `search` finds passages, `read_file` reads the text around them, and `ask` has Casella's model answer. Cite passages with the links that they have."

/**
 * Casella as an MCP server. It keeps no state between messages, so clients keep working after a restart. A client repeats its session ID in
 * later messages, so that one message can cancel a call made by another.
 */
export function createMcpServer(deps: McpServerDeps) {
  const { logger } = deps
  const cancelling = createCancelling()
  const tools: readonly McpTool[] = [
    ...createMcpFolderTools(deps),
    createReadFileTool(deps),
    createAskTool(deps),
    createNotifyTool(deps),
    createAskPersonTool(deps),
  ]
  const described = lazy(() => new Map(tools.map((tool) => [tool.name, describe(tool)])))

  async function call(tool: McpTool, input: unknown, context: Parameters<McpTool["run"]>[1]) {
    try {
      return await tool.run(input, context)
    } catch (error) {
      // The model reads this message and can call again with different arguments.
      return {
        isError: true,
        content: [{ type: "text", text: toAppError(error, logger).message }],
      } satisfies CallToolResult
    }
  }

  function serverFor(caller: Caller, boxAddress: string): Server {
    const reads = mayCall(caller, { scopes: readingScopes })
    const server = new Server(
      { name: "casella", title: "Casella", version: deps.version },
      { capabilities: { tools: {}, ...(reads && { resources: {} }) }, instructions },
    )
    server.setRequestHandler("tools/list", () => ({
      tools: tools.filter((tool) => mayCall(caller, tool)).flatMap(({ name }) => described().get(name) ?? []),
    }))
    server.setRequestHandler("tools/call", ({ params }, { mcpReq: { _meta: meta, signal, notify } }) => {
      const tool = tools.find(({ name }) => name === params.name)
      if (!tool || !mayCall(caller, tool))
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          `There is no tool ${params.name} for this API key.`,
        )
      let reported = 0
      const progressToken = meta?.progressToken
      const progress = (message: string) => {
        if (progressToken === undefined) return
        const note = { progressToken, progress: ++reported, message }
        // A client that has disconnected isn't notified.
        notify({ method: "notifications/progress", params: note }).catch(() => undefined)
      }
      return call(tool, params.arguments, { caller, boxAddress, signal, progress })
    })
    if (reads) serveResources(server, caller)
    return server
  }

  function serveResources(server: Server, { userId }: Caller): void {
    const orRefuse = async <T>(work: Promise<T>): Promise<T> => {
      try {
        return await work
      } catch (error) {
        if (error instanceof ProtocolError) throw error
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, toAppError(error, logger).message)
      }
    }
    server.setRequestHandler("resources/list", ({ params }) =>
      orRefuse(listResources(deps, userId, params?.cursor)),
    )
    server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates }))
    server.setRequestHandler("resources/read", ({ params }) =>
      orRefuse(readResource(deps, userId, params.uri)),
    )
  }

  return {
    /** Answers one message. Resolves when the answer is sent or is no longer wanted. */
    async answer(request: Request, response: Response, message: unknown, caller: Caller): Promise<void> {
      const client = `${caller.credentialId} ${request.get("mcp-session-id") ?? ""}`
      if (cancelling.cancel(client, message)) {
        response.status(202).end()
        return
      }
      if (isInitialize(message)) response.setHeader("mcp-session-id", newId())
      const streams = mayTakeLong(message) && request.accepts("text/event-stream") !== false
      const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: !streams })
      const server = serverFor(caller, `http://${request.headers.host}`)
      const cancelled = new AbortController()
      using _ = cancelling.note(client, message, () => cancelled.abort())
      const over = AbortSignal.any([createCloseSignal(request), cancelled.signal])
      const unanswered = new Promise<null>((resolve) => {
        over.addEventListener("abort", () => void server.close().finally(() => resolve(null)))
      })
      await server.connect(transport)
      const answer = transport.handleRequest(toWebRequest(request), { parsedBody: message })
      const made = await Promise.race([answer, unanswered])
      if (made) await send(made, response)
      else response.status(202).end()
    },
  }
}

export type McpServer = ReturnType<typeof createMcpServer>

function describe({ name, title, description, readOnly, input }: McpTool): Tool {
  const { $schema: _, ...inputSchema } = z.toJSONSchema(input, { io: "input" })
  return {
    name,
    title,
    description,
    inputSchema: inputSchema as Tool["inputSchema"],
    annotations: {
      title,
      readOnlyHint: readOnly,
      ...(!readOnly && { destructiveHint: false, idempotentHint: false }),
      openWorldHint: false,
    },
  }
}

/**
 * The request as the transport needs it. The transport accepts JSON only from clients that accept both response types, so the header is
 * replaced.
 */
function toWebRequest(request: Request): globalThis.Request {
  const version = request.get("mcp-protocol-version")
  const headers = {
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
    ...(version !== undefined && { "mcp-protocol-version": version }),
  }
  return new globalThis.Request(`http://${request.headers.host}${mcpPath}`, { method: "POST", headers })
}

async function send({ status, headers, body }: globalThis.Response, response: Response): Promise<void> {
  response.status(status)
  for (const [name, value] of headers) response.setHeader(name, value)
  if (body === null) response.end()
  else await pipeline(Readable.fromWeb(body), response).catch(ignoreEarlyEnd)
}

/** A client that disconnects has already stopped its request. */
function ignoreEarlyEnd(error: NodeJS.ErrnoException): void {
  if (error.code !== "ERR_STREAM_PREMATURE_CLOSE") throw error
}

const Call = z.object({ method: z.literal("tools/call"), params: z.object({ name: z.string() }) })

/** These calls are answered with a stream that reports progress. */
const mayTakeLong = (message: unknown) =>
  ["ask", "ask_person"].includes(Call.safeParse(message).data?.params.name ?? "")

const isInitialize = (message: unknown) =>
  z.object({ method: z.literal("initialize") }).safeParse(message).success
