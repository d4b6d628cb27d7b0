import { once } from "node:events"
import { Client, StreamableHTTPClientTransport, type FetchLike } from "@modelcontextprotocol/client"
import { WebSocket } from "ws"
import { sessionSecretHeader, socketProtocols } from "../../shared/contract/session.ts"
import { SocketMessage, socketPath } from "../../shared/contract/socket.ts"

/** Headers that a signed-in user's page sends with every request. */
export interface AppSession extends Record<string, string> {
  origin: string
  cookie: string
  [sessionSecretHeader]: string
}

/** Exchanges a sign-in token as the page does, with the browser's existing session, if any. */
export const exchange = (
  url: string,
  token: string,
  { session, replace }: { session?: Partial<AppSession>; replace?: boolean } = {},
): Promise<Response> =>
  fetch(`${url}/api/public/session`, {
    method: "POST",
    headers: { origin: url, "content-type": "application/json", ...session } as Record<string, string>,
    body: JSON.stringify({ token, ...(replace === undefined ? {} : { replace }) }),
  })

/** Returns the headers that the page sends from then on; empty if sign-in was refused. */
export async function getSession(url: string, answer: Response): Promise<AppSession> {
  const { secret } = (await answer.json()) as { secret?: string | null }
  const cookie = answer.headers.get("set-cookie")?.split(";")[0] ?? ""
  return { origin: url, cookie, [sessionSecretHeader]: secret ?? "" }
}

export const signIn = async (url: string, token: string): Promise<AppSession> =>
  getSession(url, await exchange(url, token))

/** Extracts the token from a sign-in link. */
export const tokenIn = (link: string): string => new URL(link).hash.split("token=")[1] ?? ""

/** Options with which a session's page opens a WebSocket. */
export const getSocket = ({ origin, cookie, [sessionSecretHeader]: secret }: AppSession) => ({
  protocols: socketProtocols(secret),
  headers: { origin, cookie },
})

/** Creates an API key with a session, as the page does. */
export async function getKey(url: string, session: AppSession): Promise<string> {
  const answer = await fetch(`${url}/api/public/keys`, {
    method: "POST",
    headers: { ...session, "content-type": "application/json" },
    body: JSON.stringify({ name: "Mine" }),
  })
  return ((await answer.json()) as { key: string }).key
}

type MessageOf<Type extends SocketMessage["type"]> = Extract<SocketMessage, { type: Type }>

/** An app connected to the box's WebSocket that keeps all messages. */
export interface ConnectedApp extends Disposable {
  socket: WebSocket
  /** All messages so far, starting with `hello`. */
  messages: SocketMessage[]
  /** Waits for the next message of this type that `next` hasn't returned yet. */
  next<Type extends SocketMessage["type"]>(type: Type): Promise<MessageOf<Type>>
}

/** Connects as the app does. Resolves after `hello` arrives. */
export async function connectApp(url: string, key: string): Promise<ConnectedApp> {
  const socket = new WebSocket(url.replace("http", "ws") + socketPath, { headers: { "x-api-key": key } })
  const messages: SocketMessage[] = []
  const taken = new Map<string, number>()
  socket.on("message", (data: Buffer) => {
    messages.push(SocketMessage.parse(JSON.parse(data.toString("utf8"))))
  })
  await once(socket, "message")
  return {
    socket,
    messages,
    async next<Type extends SocketMessage["type"]>(type: Type) {
      const index = taken.get(type) ?? 0
      taken.set(type, index + 1)
      for (;;) {
        const found = messages.filter((message): message is MessageOf<Type> => message.type === type)[index]
        if (found) return found
        await once(socket, "message")
      }
    },
    [Symbol.dispose]: () => socket.terminate(),
  }
}

/** Connects the MCP SDK's client to a box with a key. */
export async function connectMcp(
  boxUrl: string,
  headers: Record<string, string>,
  fetch?: FetchLike,
): Promise<{ client: Client; transport: StreamableHTTPClientTransport }> {
  const transport = new StreamableHTTPClientTransport(new URL("/api/mcp", boxUrl), {
    requestInit: { headers },
    ...(fetch && { fetch }),
  })
  const client = new Client({ name: "test", version: "1" })
  await client.connect(transport)
  return { client, transport }
}

/** Returns a tool's result as text, and as data if there is any. */
export async function callTool(client: Client, name: string, args: Record<string, unknown> = {}) {
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: args })
  const texts = content.map((part) => (part.type === "text" ? part.text : ""))
  return { texts, text: texts.join("\n"), data: structuredContent ?? {}, isError: isError === true }
}
