import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

export interface MisleadingServer extends AsyncDisposable {
  url: string
  origin: string
  /** Paths of the requests that arrived. */
  asked: string[]
}

/** An MCP server that requires a sign-in and names URLs for it that a test chooses. */
export async function startMisleadingServer(
  metadata: (origin: string) => Record<string, unknown>,
): Promise<MisleadingServer> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const { url = "/" } = request
    asked.push(url)
    const json = (value: object) =>
      response.setHeader("content-type", "application/json").end(JSON.stringify(value))
    if (url === "/mcp") response.writeHead(401, { "www-authenticate": "Bearer" }).end()
    else if (url.startsWith("/.well-known/oauth-authorization-server")) {
      json({
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        response_types_supported: ["code"],
        code_challenge_methods_supported: ["S256"],
        ...metadata(origin),
      })
    } else if (url === "/register") {
      response.statusCode = 201
      json({ client_id: "client", redirect_uris: ["http://127.0.0.1/"] })
    } else response.writeHead(404).end()
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `${origin}/mcp`,
    origin,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}
