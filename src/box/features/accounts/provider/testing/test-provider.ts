import { createSign, generateKeyPairSync, type KeyObject } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import express from "express"
import { Provider } from "oidc-provider"
import { keptAlive } from "../../../../../shared/testing/kept-alive.ts"

/** The provider's claims about a person who signs in. */
export interface TestPerson {
  sub: string
  email?: string
  email_verified?: boolean
  name?: string
  groups?: string[]
}

export interface TestProvider extends AsyncDisposable {
  issuer: string
  /** The person who signs in next; null refuses everyone. */
  person: TestPerson | null
  /** `down`: disconnected; `silent`: never answers; `broken`: 500; `other-issuer`: claims to be another issuer. */
  fault: "down" | "silent" | "broken" | "other-issuer" | null
  /** Claims that replace the true ones in the ID token; `key` signs it. */
  forge: { claims: Record<string, unknown>; key?: KeyObject } | null
  /** Number of requests to the sign-out page. */
  ended: number
  /** Accepts a box at this address. */
  trust(boxUrl: string): void
}

export const clientId = "casella"
export const clientSecret = "a secret between the box and its provider"

/** A real OpenID Connect provider that signs everyone in without asking. */
export async function startTestProvider(): Promise<TestProvider> {
  const app = express()
  const server = createServer(keptAlive, app).listen(0, "127.0.0.1")
  await once(server, "listening")
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
  const jwk = { ...privateKey.export({ format: "jwk" }), kid: "one", alg: "RS256", use: "sig" }
  let provider: Provider | undefined
  const trusting = Promise.withResolvers<void>()
  let nonce: unknown
  const people = new Map<string, TestPerson>()
  const self: TestProvider = {
    issuer,
    person: null,
    fault: null,
    forge: null,
    ended: 0,

    trust(boxUrl) {
      provider = new Provider(issuer, {
        clients: [
          {
            client_id: clientId,
            client_secret: clientSecret,
            redirect_uris: [`${boxUrl}/api/public/sign-in/provider/callback`],
            post_logout_redirect_uris: [`${boxUrl}/`],
          },
        ],
        jwks: { keys: [jwk] },
        claims: {
          openid: ["sub"],
          email: ["email", "email_verified"],
          profile: ["name"],
          groups: ["groups"],
        },
        scopes: ["openid", "email", "profile", "groups"],
        features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: true } },
        pkce: { required: () => true },
        ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
        findAccount: (_context, id) => ({ accountId: id, claims: () => ({ ...people.get(id), sub: id }) }),
        interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
        cookies: { keys: ["test"] },
      })
      trusting.resolve()
    },

    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }

  app.use((request, response, next) => {
    if (self.fault === "down") request.socket.destroy()
    else if (self.fault === "broken") response.status(500).send("<h1>Broken</h1>")
    else if (self.fault === "other-issuer" && request.path.startsWith("/.well-known/"))
      response.json({ issuer: "https://evil.example", authorization_endpoint: "https://evil.example/auth" })
    else if (self.fault !== "silent") next()
  })
  app.get("/auth", (request, _response, next) => {
    nonce = request.query["nonce"]
    next()
  })
  app.get("/session/end", (_request, _response, next) => {
    self.ended++
    next()
  })
  app.post("/token", (_request, response, next) => {
    if (!self.forge) {
      next()
      return
    }
    const now = Math.floor(Date.now() / 1000)
    const truth = { iss: issuer, aud: clientId, iat: now, exp: now + 60, nonce, groups: [], ...self.person }
    const token = signed({ ...truth, ...self.forge.claims }, self.forge.key ?? privateKey)
    response.json({ access_token: "none", token_type: "Bearer", id_token: token })
  })
  app.get("/interaction/:uid", async (request, response) => {
    if (!provider) throw new Error("No box is trusted yet.")
    const { params, session } = await provider.interactionDetails(request, response)
    if (!self.person) {
      const refusal = { error: "access_denied", error_description: "<b>Go away</b>" }
      await provider.interactionFinished(request, response, refusal)
      return
    }
    const accountId = session?.accountId ?? self.person.sub
    people.set(self.person.sub, self.person)
    const grant = new provider.Grant({ accountId, clientId: String(params["client_id"]) })
    grant.addOIDCScope("openid email profile groups")
    const result = { login: { accountId }, consent: { grantId: await grant.save() } }
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true })
  })
  app.use(async (request, response) => {
    await trusting.promise // a box queries the provider as soon as it starts
    await provider?.callback()(request, response)
  })
  return self
}

function signed(claims: Record<string, unknown>, key: KeyObject): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")
  const text = `${part({ alg: "RS256", kid: "one" })}.${part(claims)}`
  return `${text}.${createSign("RSA-SHA256").update(text).sign(key, "base64url")}`
}

/** Keeps cookies by origin, as far as sign-ins need it, and follows redirects. */
export function createTestBrowser() {
  const jars = new Map<string, Map<string, string>>()

  async function get(address: string): Promise<Response> {
    const { origin } = new URL(address)
    const jar = jars.get(origin) ?? new Map<string, string>()
    jars.set(origin, jar)
    const cookie = [...jar].map((pair) => pair.join("=")).join("; ")
    const answer = await fetch(address, { redirect: "manual", headers: { cookie } })
    for (const line of answer.headers.getSetCookie()) {
      const [name = "", value = ""] = (line.split(";")[0] ?? "").split("=")
      if (value === "" || /expires=Thu, 01 Jan 1970/i.test(line)) jar.delete(name)
      else jar.set(name, value)
    }
    return answer
  }

  return {
    get,
    /** Follows redirects until it reaches the page, or an address that `stop` accepts. Returns that address. */
    async visit(address: string, stop: (address: string) => boolean = () => false): Promise<string> {
      let at = address
      for (let hops = 0; hops < 20; hops++) {
        if (at.includes("/#/") || stop(at)) return at
        // oxlint-disable-next-line no-await-in-loop -- one leads to the next
        const answer = await get(at)
        const location = answer.headers.get("location")
        if (location === null) return `${at} answered ${answer.status}: ${await answer.text()}`
        at = new URL(location, at).href
      }
      throw new Error("It never ends.")
    },
  }
}
