import { generateKeyPairSync, sign } from "node:crypto"
import { request as httpRequest } from "node:http"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startTestService, validTicket, type Account, type TestService } from "../testing/test-service.ts"

let service: TestService
let ann: Account
let key: string
beforeAll(async () => {
  service = await startTestService()
  ann = await service.account("ann")
  await service.run(`quota set ${ann.email}`, { "per-minute": "1000", "per-day": "1000" })
  key = (await service.key(ann)).key
})
afterAll(() => service?.[Symbol.asyncDispose]())

type Headers = Record<string, string | string[]>

/** Sends a bare request, because fetch would not send these headers. */
function post(headers: Headers, path = "/api/v1/tickets") {
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; text: string }>(
    (resolve, reject) => {
      const body = JSON.stringify(validTicket)
      const outgoing = httpRequest(
        service.url + path,
        {
          method: "POST",
          setHost: !("host" in headers),
          headers: { "content-type": "application/json", "content-length": String(body.length), ...headers },
        },
        (answer) => {
          let text = ""
          answer.setEncoding("utf8")
          answer.on("data", (chunk: string) => (text += chunk))
          answer.on("end", () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }))
        },
      )
      outgoing.on("error", reject)
      outgoing.end(body)
    },
  )
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")
const decode = (part = "") => JSON.parse(Buffer.from(part, "base64url").toString()) as Record<string, unknown>

describe("Credentials for a ticket", () => {
  it("are a cloud JWT or a cloud key as bearer token", async () => {
    expect((await post({ authorization: `Bearer ${ann.jwt}` })).status).toBe(201)
    expect((await post({ authorization: `Bearer ${key}` })).status).toBe(201)
    expect((await post({ authorization: `bearer ${key}` })).status).toBe(201)
  })

  // Catches any other way to send a credential, and any other kind.
  it("are nothing else", async () => {
    const { headers: signedIn } = await service.send("POST", "/api/auth/sign-in/email", {
      body: { email: ann.email, password: ann.password },
    })
    const cookie = signedIn
      .getSetCookie()
      .map((line) => line.split(";")[0])
      .join("; ")
    const sessionToken = decodeURIComponent(/session_token=([^;]+)/.exec(cookie)?.[1] ?? "")
    expect(sessionToken.length).toBeGreaterThan(20)
    const carriers: Headers[] = [
      {},
      { "x-api-key": key },
      { "x-api-key": ann.jwt },
      { authorization: key },
      { authorization: `Basic ${Buffer.from(`ann:${key}`).toString("base64")}` },
      { authorization: "Bearer" },
      { authorization: "Bearer " },
      { authorization: "Bearer undefined" },
      { authorization: `Bearer ${key},${key}` },
      { authorization: `Bearer ${key} ${key}` },
      { authorization: [`Bearer ${key}`, `Bearer ${key}`] },
      { authorization: `Bearer ${key.slice(0, -1)}` },
      { authorization: `Bearer ${key}x` },
      { authorization: `Bearer ${key.toUpperCase()}` },
      { authorization: `Bearer ${"x".repeat(5000)}` },
      { authorization: `Bearer box_${"A".repeat(43)}` },
      { authorization: `Bearer boxe_${"A".repeat(43)}` },
      { cookie },
      { authorization: `Bearer ${sessionToken}` },
      { authorization: `Bearer ${sessionToken.split(".")[0]}` },
    ]
    for (const headers of carriers) {
      const { status, headers: answered, text } = await post(headers)
      expect(status, JSON.stringify(headers)).toBe(401)
      expect(text).toContain('"code":"UNAUTHORIZED"')
      expect(answered["www-authenticate"]).toBe("Bearer")
    }
  })

  // Catches a JWT whose signature, algorithm, issuer, audience or time isn't checked.
  it("aren't forged, foreign, unsigned or expired JWTs", async () => {
    const [head, payload, signature] = ann.jwt.split(".")
    const claims = decode(payload)
    const header = decode(head)
    const foreign = generateKeyPairSync("ed25519").privateKey
    const signed = (newHeader: object, newClaims: object) => {
      const text = `${encode(newHeader)}.${encode(newClaims)}`
      return `${text}.${sign(null, Buffer.from(text), foreign).toString("base64url")}`
    }
    const { keys } = (await service.send("GET", "/api/auth/jwks")).body
    const own = (changes: object) => service.signJwt({ sub: String(claims["sub"]), ...changes })
    const forged = [
      `${encode({ alg: "none" })}.${payload}.`,
      `${encode({ ...header, alg: "none" })}.${payload}.`,
      `${encode({ ...header, alg: "none" })}.${payload}.${signature}`,
      `${encode({ ...header, alg: "HS256" })}.${payload}.${signature}`,
      `${head}.${encode({ ...claims, sub: "someone-else" })}.${signature}`,
      `${head}.${encode({ ...claims, exp: 9_999_999_999 })}.${signature}`,
      `${head}.${payload}.${"A".repeat(signature?.length ?? 0)}`,
      `${head}.${payload}.`,
      "..",
      signed(header, claims),
      signed({ alg: "EdDSA", kid: "unknown" }, claims),
      signed({ alg: "EdDSA", jwk: keys[0] }, claims),
      await own({ exp: Math.floor(Date.now() / 1000) - 1 }),
      await own({ nbf: Math.floor(Date.now() / 1000) + 60 }),
      await own({ iss: "https://elsewhere.example" }),
      await own({ aud: "something-else" }),
      await own({ sub: "nobody" }),
    ]
    for (const jwt of forged) {
      expect((await post({ authorization: `Bearer ${jwt}` })).status, jwt).toBe(401)
    }
    expect((await post({ authorization: `Bearer ${await own({})}` })).status).toBe(201)
  })

  // Catches a sign-out that leaves a key valid, or that ends another one.
  it("aren't keys that have ended themselves", async () => {
    const { key: own } = await service.key(ann, { tickets: ["create"] })
    const end = (bearer: string) => service.send("DELETE", "/api/auth/api-key", { bearer })
    expect((await end(ann.jwt)).status).toBe(403)
    expect((await end(own)).status).toBe(200)
    expect((await service.ticket(own)).status).toBe(401)
    expect((await service.ticket(key)).status).toBe(201)
  })

  it("aren't revoked, disabled or expired keys", async () => {
    const { key: revoked, id } = await service.key(ann)
    expect((await service.ticket(revoked)).status).toBe(201)
    await service.run(`keys revoke ${id}`)
    expect((await service.ticket(revoked)).status).toBe(401)
    const { key: expired, id: expiredId } = await service.key(ann)
    await service.database.db
      .updateTable("cloudKeys")
      .set({ expiresAt: new Date().toISOString() })
      .where("id", "=", expiredId)
      .execute()
    expect((await service.ticket(expired)).status).toBe(401)
  })

  it("stop working when their user is blocked, and work again afterwards", async () => {
    const ben = await service.account("ben")
    const { key: benKey } = await service.key(ben)
    await service.run(`users block ${ben.email}`)
    for (const bearer of [ben.jwt, benKey]) expect((await service.ticket(bearer)).status).toBe(401)
    await service.run(`users unblock ${ben.email}`)
    for (const bearer of [ben.jwt, benKey]) expect((await service.ticket(bearer)).status).toBe(201)
  })

  it("need tickets.create if their permissions are limited", async () => {
    for (const permissions of [{}, { tickets: [] }, { tickets: ["read"] }, { folders: ["create"] }]) {
      const limited = await service.key(ann, permissions)
      const { status, body } = await service.ticket(limited.key)
      expect([status, body.error.code], JSON.stringify(permissions)).toEqual([403, "FORBIDDEN"])
    }
    const enough = await service.key(ann, { tickets: ["create"], folders: ["read"] })
    expect((await service.ticket(enough.key)).status).toBe(201)
  })
})

describe("While a ticket is being sent", () => {
  /** Sends the headers of a ticket; `meanwhile` runs after the service has admitted the request and asked for the body. */
  function halfWay(bearer: string, beforeBody: () => Promise<unknown>) {
    return new Promise<string>((resolve, reject) => {
      const outgoing = httpRequest(`${service.url}/api/v1/tickets`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${bearer}`,
          "content-type": "application/json",
          expect: "100-continue",
        },
      })
      outgoing.on("error", reject)
      outgoing.on("response", (answer) => {
        let text = ""
        answer.setEncoding("utf8")
        answer.on("data", (chunk: string) => (text += chunk))
        answer.on("end", () => resolve((JSON.parse(text) as { error: { code: string } }).error.code))
      })
      outgoing.on("continue", () => {
        beforeBody().then(() => outgoing.end(JSON.stringify(validTicket)), reject)
      })
      outgoing.flushHeaders()
    })
  }
  const countTickets = async () =>
    (await service.database.db.selectFrom("tickets").select("id").execute()).length

  it("a refused request isn't asked for its body", async () => {
    const never = () => Promise.reject(new Error("asked for the body"))
    expect(await halfWay(`${key}x`, never)).toBe("UNAUTHORIZED")
  })

  // Catches a ticket created with a key that was revoked after it was checked.
  it("a changed key causes RETRY_REQUEST and no ticket; the next attempt is 401", async () => {
    const { key: changed, id } = await service.key(ann)
    const before = await countTickets()
    expect(await halfWay(changed, () => service.run(`keys revoke ${id}`))).toBe("RETRY_REQUEST")
    expect(await countTickets()).toBe(before)
    expect((await service.ticket(changed)).status).toBe(401)
  })

  it("a blocked user causes UNAUTHORIZED and no ticket", async () => {
    const cleo = await service.account("cleo")
    const { key: cleoKey } = await service.key(cleo)
    const before = await countTickets()
    const code = await halfWay(cleoKey, () => service.run(`users block ${cleo.email}`))
    expect(code).toBe("UNAUTHORIZED")
    expect(await countTickets()).toBe(before)
  })
})

describe("Every route", () => {
  const routes: [string, string][] = [
    ["POST", "/api/v1/tickets"],
    ["GET", "/api/v1/tickets"],
    ["GET", "/api/v1/tickets/mine"],
    ["GET", "/api/v1/tickets.csv"],
    ["GET", "/api/v1/tickets/x"],
    ["PATCH", "/api/v1/tickets/x"],
    ["POST", "/api/auth/sign-in/email"],
    ["POST", "/api/auth/token"],
    ["POST", "/api/auth/sign-out"],
    ["GET", "/api/auth/jwks"],
    ["POST", "/api/auth/api-key"],
    ["GET", "/"],
    ["GET", "/unknown"],
  ]
  const send = (method: string, path: string, headers: Headers) =>
    new Promise<{ status: number; headers: NodeJS.Dict<string | string[]> }>((resolve, reject) => {
      const outgoing = httpRequest(
        service.url + path,
        { method, headers, setHost: !("host" in headers) },
        (answer) => {
          answer.resume()
          answer.on("end", () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers }))
        },
      )
      outgoing.on("error", reject)
      outgoing.end()
    })

  // Catches DNS rebinding, and a cross-origin policy that admits arbitrary pages.
  it.each(routes)("%s %s refuses a foreign Host and a foreign Origin", async (method, path) => {
    const { port } = new URL(service.url)
    const authorization = `Bearer ${ann.jwt}`
    for (const host of [
      "evil.example",
      `evil.example:${port}`,
      "127.0.0.1:1",
      `127.0.0.1.evil.example:${port}`,
    ]) {
      expect((await send(method, path, { host, authorization })).status, host).toBe(403)
    }
    for (const origin of [
      "https://evil.example",
      "null",
      "http://localhost:1",
      `https://127.0.0.1:${port}`,
    ]) {
      const answer = await send(method, path, { origin, authorization })
      expect(answer.status, origin).toBe(403)
      expect(Object.keys(answer.headers).filter((name) => name.startsWith("access-control-"))).toEqual([])
    }
    const preflight = await send("OPTIONS", path, { origin: "https://evil.example" })
    expect(preflight.status).toBe(403)
  })

  it.each(routes.filter(([, path]) => path.startsWith("/api/v1/") || path.endsWith("api-key")))(
    "%s %s needs a credential, and its answer is never cached",
    async (method, path) => {
      const answer = await send(method, path, {})
      expect(answer.status).toBe(401)
      expect(answer.headers["cache-control"]).toBe("no-store")
    },
  )
})
