import {
  type Transport,
  Client,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type CallToolResult,
} from "@modelcontextprotocol/client"
import { z } from "zod"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { readOffer, type Offer } from "./definitions.ts"
import { explain } from "./explain.ts"
import { openProgram, type Opened } from "./open-program.ts"
import type { Server, ServerFetches } from "./server.ts"

/** Maximum messages from a server between two of our requests. */
const maxUnasked = 1000

/** Ends a connection whose server sends messages endlessly. Call this before the connection is opened. */
function limitMessages(transport: Transport, end: () => void): void {
  let unasked = 0
  const send = transport.send.bind(transport)
  transport.send = (message, options) => {
    if ("method" in message && "id" in message) unasked = 0
    return send(message, options)
  }
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's transport is no event target
  transport.onmessage = () => {
    unasked++
    if (unasked === maxUnasked) end()
  }
}

const limits = {
  connectMs: 60_000,
  listMs: 30_000,
  callMs: 240_000,
  listPages: 10,
  listed: 1000,
}

/** An open connection. It throws only AppError and `NeedsSignIn`. */
export interface Connection extends AsyncDisposable {
  /** Settles when the connection has ended, for whatever reason. */
  readonly closed: Promise<void>
  readonly isOpen: boolean
  /** Returns what the server offers. The list is fetched again when the server announces a change, or with `fresh`. */
  offer(signal: AbortSignal, options?: { fresh?: boolean }): Promise<Offer>
  /** Returns the server's result. Its format is validated, but its content isn't. */
  call(name: string, args: Record<string, unknown>, signal: AbortSignal): Promise<CallToolResult>
}

/** The SDK's own schema would compile every output schema, and servers choose those. */
const ToolList = z.object({ tools: z.array(z.unknown()), nextCursor: z.string().max(4000).nullish() })

export interface ConnectionListeners {
  onWarning(error: Error): void
  /** Called when the server announces a change in what it offers. */
  onChange(): void
}

/** Connects to a server, or starts its process, and completes the handshake. */
export async function connect(
  server: Server,
  fetches: ServerFetches,
  signal: AbortSignal,
  { onWarning, onChange }: ConnectionListeners,
): Promise<Connection> {
  const { target, key } = server
  const greetBy = (opened: Opened) => greet(key, opened, signal, onChange)
  if (target.kind === "command") return greetBy(openProgram(server.env, target, onWarning))
  try {
    return await greetBy(openHttp(server, target.url, fetches, "streamable"))
  } catch (error) {
    if (!isOlderServer(error)) throw explain(error)
  }
  return greetBy(openHttp(server, target.url, fetches, "sse")).catch((error: unknown) => {
    throw explain(error)
  })
}

/** Servers that support only the protocol's first HTTP transport refuse the newer transport's first request. */
function isOlderServer(error: unknown): boolean {
  const status = error instanceof SdkHttpError ? error.status : undefined
  return status === 400 || status === 404 || status === 405
}

function openHttp(
  { token, auth }: Server,
  url: string,
  fetches: ServerFetches,
  kind: "streamable" | "sse",
): Opened {
  const ending = new AbortController()
  const options = {
    fetch: fetches.of(url, ending.signal),
    ...(token === null ? { authProvider: auth } : {}),
    requestInit: token === null ? {} : { headers: { authorization: `Bearer ${token}` } },
  }
  const transport =
    kind === "sse"
      ? new SSEClientTransport(new URL(url), options)
      : new StreamableHTTPClientTransport(new URL(url), {
          ...options,
          reconnectionOptions: {
            initialReconnectionDelay: 1000,
            maxReconnectionDelay: 10_000,
            reconnectionDelayGrowFactor: 2,
            maxRetries: 2,
          },
        })
  return {
    transport,
    getErrorOutput: () => "",
    async end() {
      await transport.close()
      ending.abort()
    },
  }
}

async function greet(
  key: string,
  opened: Opened,
  signal: AbortSignal,
  onChange: () => void,
): Promise<Connection> {
  const { transport, getErrorOutput, end } = opened
  const client = new Client({ name: "Casella", version: "1" }, { capabilities: {} })
  const closed = Promise.withResolvers<void>()
  const state = { isOpen: true, offer: null as Promise<Offer> | null }
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's client is no event target
  client.onclose = () => {
    state.isOpen = false
    closed.resolve()
  }
  limitMessages(transport, () => void end())
  try {
    await client.connect(transport, { signal, timeout: limits.connectMs })
  } catch (error) {
    await end()
    const explained = explain(error)
    const words = getErrorOutput()
    if (words === "" || !(explained instanceof AppError)) throw error
    throw new AppError(explained.code, sentence("tools.server_said", { what: explained.sentence, words }), {
      cause: error,
    })
  }
  client.setNotificationHandler("notifications/tools/list_changed", () => {
    state.offer = null
    onChange()
  })

  async function readAll(): Promise<Offer> {
    const tools: unknown[] = []
    let cursor: string | null | undefined
    for (let page = 0; page < limits.listPages; page++) {
      const params = cursor ? { cursor } : {}
      const list = await client.request({ method: "tools/list", params }, ToolList, {
        timeout: limits.listMs,
      })
      tools.push(...list.tools)
      cursor = list.nextCursor
      if (!cursor || tools.length >= limits.listed) break
    }
    return readOffer(key, tools)
  }

  return {
    closed: closed.promise,
    get isOpen() {
      return state.isOpen
    },
    async offer(ending, { fresh = false } = {}) {
      if (fresh) state.offer = null
      const reading = (state.offer ??= readAll())
      try {
        ending.throwIfAborted()
        return await reading
      } catch (error) {
        if (state.offer === reading) state.offer = null
        throw explain(error)
      }
    },
    async call(name, args, ending) {
      try {
        const params = { name, arguments: args }
        const options = { signal: ending, timeout: limits.callMs, maxTotalTimeout: limits.callMs }
        return await client.request({ method: "tools/call", params }, options)
      } catch (error) {
        throw explain(error)
      }
    },
    async [Symbol.asyncDispose]() {
      state.isOpen = false
      await end()
      closed.resolve()
    },
  }
}
