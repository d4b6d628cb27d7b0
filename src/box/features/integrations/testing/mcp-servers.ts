import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { McpServer, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server"
import express from "express"
import { Provider } from "oidc-provider"
import { keptAlive } from "../../../../shared/testing/kept-alive.ts"

export interface SignedServer extends AsyncDisposable {
  url: string
  origin: string
  /** Number of tokens that were revoked. */
  revoked: number
  /** Rejects every token from now on. */
  distrust(): void
}

/** An MCP server whose users sign in at a real authorization server on the same origin, which accepts everyone. */
export async function startSignedServer(): Promise<SignedServer> {
  const app = express()
  const server = createServer(keptAlive, app).listen(0, "127.0.0.1")
  await once(server, "listening")
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const resource = `${origin}/mcp`
  const state = { revoked: 0, distrusted: false }

  const provider = new Provider(origin, {
    clients: [],
    scopes: ["openid", "offline_access", "notes"],
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      revocation: { enabled: true },
      introspection: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({ scope: "notes", audience: resource, accessTokenFormat: "opaque" }),
      },
    },
    pkce: { required: () => true },
    clientDefaults: {
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"],
    },
    issueRefreshToken: () => true,
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      Grant: 600,
      Interaction: 60,
      RefreshToken: 600,
      Session: 600,
    },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
    cookies: { keys: ["test"] },
  })
  provider.on("refresh_token.destroyed", () => state.revoked++)
  provider.on("access_token.destroyed", () => state.revoked++)

  app.get("/interaction/:uid", async (request, response) => {
    const { params, session } = await provider.interactionDetails(request, response)
    const accountId = session?.accountId ?? "carla"
    const grant = new provider.Grant({ accountId, clientId: String(params["client_id"]) })
    grant.addOIDCScope("openid offline_access notes")
    grant.addResourceScope(resource, "notes")
    const result = { login: { accountId }, consent: { grantId: await grant.save() } }
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true })
  })
  app.get(
    "/.well-known/oauth-protected-resource/mcp",
    (_request, response) =>
      void response.json({ resource, authorization_servers: [origin], scopes_supported: ["notes"] }),
  )
  app.all("/mcp", express.json(), async (request, response) => {
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1]
    const known = token === undefined || state.distrusted ? undefined : await provider.AccessToken.find(token)
    if (!known) {
      const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`
      response.setHeader("www-authenticate", `Bearer resource_metadata="${metadata}"`)
      response.status(401).end()
      return
    }
    const mcp = new McpServer({ name: "notes", version: "1" })
    mcp.registerTool("whoami", { description: "Says who is signed in." }, () => ({
      content: [{ type: "text", text: `You are ${known.accountId}.` }],
    }))
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
    response.once("close", () => void transport.close())
    await mcp.connect(transport)
    const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    const asked = new Request(resource, { method: request.method, headers })
    const answer = await transport.handleRequest(asked, { parsedBody: request.body })
    response
      .status(answer.status)
      .type("json")
      .send(await answer.text())
  })
  app.use(provider.callback())

  return {
    url: resource,
    origin,
    get revoked() {
      return state.revoked
    },
    distrust() {
      state.distrusted = true
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}

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
  const server = createServer(keptAlive, (request, response) => {
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

/** Follows redirects from a URL like a browser, with its cookies. Returns the URL, status and text of the last page. */
export async function browse(address: string): Promise<{ url: string; status: number; text: string }> {
  const jars = new Map<string, Map<string, string>>()
  let url = new URL(address)
  for (let hop = 0; hop < 10; hop++) {
    const jar = jars.get(url.host) ?? new Map<string, string>()
    jars.set(url.host, jar)
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ")
    const response = await fetch(url, { redirect: "manual", headers: { cookie } })
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      jar.set(name, value)
    }
    const location = response.headers.get("location")
    if (location === null) return { url: url.href, status: response.status, text: await response.text() }
    await response.body?.cancel()
    url = new URL(location, url)
  }
  throw new Error("The redirects never end.")
}
