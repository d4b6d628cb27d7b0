import { once } from "node:events"
import { createServer, type IncomingMessage, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import type { ToolContext } from "../tool.ts"
import { keptAlive } from "../../../shared/testing/kept-alive.ts"

/** The context of a call that is never cancelled. */
export function testContext(changes: Partial<ToolContext> = {}): ToolContext {
  return {
    userId: "user",
    chatId: "chat",
    messageId: "message",
    toolCallId: "call",
    folderIds: [],
    generated: [],
    staysHere: () => Promise.resolve(false),
    signal: new AbortController().signal,
    ...changes,
  }
}

/** A local server that stands in for a server on the web. */
export interface WebServer extends AsyncDisposable {
  url: string
  /** For `createSafeFetch`: allows this server, but nothing else on this machine. */
  permits(address: string, port: number): boolean
  /** Sets the response for a path, whatever its query. */
  answer(path: string, type: string, body: string | Buffer): void
  html(path: string, body: string): void
  on(path: string, listener: RequestListener): void
  /** Every request received. */
  requests: IncomingMessage[]
}

export async function startWebServer(): Promise<WebServer> {
  const routes = new Map<string, RequestListener>()
  const requests: IncomingMessage[] = []
  const server = createServer(keptAlive, (request, response) => {
    requests.push(request)
    const route = routes.get((request.url ?? "").split("?", 1)[0] ?? "")
    if (route) route(request, response)
    else response.writeHead(404).end()
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const answer = (path: string, type: string, body: string | Buffer) =>
    void routes.set(path, (_request, response) => response.writeHead(200, { "content-type": type }).end(body))
  return {
    url: `http://127.0.0.1:${port}`,
    permits: (address, at) => address === "127.0.0.1" && at === port,
    answer,
    html: (path, body) => answer(path, "text/html; charset=utf-8", body),
    on: (path, listener) => void routes.set(path, listener),
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}
