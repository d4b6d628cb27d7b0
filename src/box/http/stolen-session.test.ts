import { request as httpRequest } from "node:http"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { WebSocket } from "ws"
import { api } from "../../shared/contract/api.ts"
import type { Contract, Endpoint } from "../../shared/contract/endpoint.ts"
import { socketPath } from "../../shared/contract/socket.ts"
import { signIn, tokenIn, type AppSession } from "../testing/clients.ts"
import { startTestBox, type TestBox } from "../testing/test-box.ts"

/**
 * Browsers send cookies to every port of a computer. Another user's server on the same computer can see them, replay them with any headers,
 * and set cookies with the same name.
 */

let box: TestBox
let mine: AppSession
let hers: AppSession
/** Headers of the page's browser, which another program can send as well. */
const forged = { "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" }
beforeAll(async () => {
  box = await startTestBox()
  mine = await signIn(box.url, await box.box.signInToken())
  const { links } = await box.client.people.add({ body: { email: "ann@example.com", name: "Ann" } })
  hers = await signIn(box.url, tokenIn(links.local))
})
afterAll(() => box[Symbol.asyncDispose]())

const guarded = Object.entries<Contract>(api)
  .flatMap(([feature, contract]) =>
    Object.entries(contract).map(([name, endpoint]): [string, Endpoint] => [`${feature}.${name}`, endpoint]),
  )
  .filter(([, { access }]) => access !== "public")

type Headers = Record<string, string | string[]>

/** Sends a bare request with the path unchanged; fetch would change both. */
function send(method: string, path: string, headers: Headers, body?: string): Promise<number> {
  const { hostname, port } = new URL(box.url)
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({ hostname, port, method, path, headers }, (answer) => {
      answer.resume().once("close", () => resolve(answer.statusCode ?? 0))
      // A stream that opens by mistake never ends.
      if (answer.headers["content-type"]?.includes("event-stream") === true) answer.destroy()
    })
    outgoing.on("error", reject)
    outgoing.end(body)
  })
}

const getSecret = (session: AppSession) => session["x-session-secret"]

/** Requests that someone who has read the cookie might try. `query` is appended to the endpoint's path. */
function attacks(): Record<string, { headers: Headers; query?: string }> {
  const { cookie } = mine
  const secret = getSecret(mine)
  const [name = ""] = cookie.split("=")
  const origin = box.url
  return {
    "a stolen cookie with perfect headers": { headers: { ...forged, origin, cookie } },
    "a stolen cookie alone": { headers: { cookie } },
    "a secret without the cookie": { headers: { ...forged, origin, "x-session-secret": secret } },
    "the secret as the cookie": {
      headers: { ...forged, origin, cookie: `${name}=${secret}`, "x-session-secret": secret },
    },
    "a wrong secret": { headers: { ...mine, ...forged, "x-session-secret": "A".repeat(43) } },
    "an empty secret": { headers: { ...mine, ...forged, "x-session-secret": "" } },
    "part of the secret": { headers: { ...mine, ...forged, "x-session-secret": secret.slice(0, -1) } },
    "a secret that is too long": { headers: { ...mine, ...forged, "x-session-secret": secret.repeat(9) } },
    "the secret twice": { headers: { ...mine, ...forged, "x-session-secret": [secret, secret] } },
    "the secret beside another": { headers: { ...mine, ...forged, "x-session-secret": [secret, "x"] } },
    "the cookie twice": { headers: { ...mine, ...forged, cookie: `${cookie}; ${cookie}` } },
    "an own cookie tossed before it": {
      headers: { ...mine, ...forged, cookie: `${hers.cookie}; ${cookie}` },
    },
    "an own cookie tossed behind it": {
      headers: { ...mine, ...forged, cookie: `${cookie}; ${hers.cookie}` },
    },
    "an empty cookie tossed before it": { headers: { ...mine, ...forged, cookie: `${name}=; ${cookie}` } },
    "a cookie tossed in a header of its own": {
      headers: { ...mine, ...forged, cookie: [hers.cookie, cookie] },
    },
    "somebody else's cookie with one's own secret": { headers: { ...hers, ...forged, cookie } },
    "one's own cookie with somebody else's secret": {
      headers: { ...hers, ...forged, "x-session-secret": secret },
    },
    "the secret as bearer": { headers: { ...forged, origin, cookie, authorization: `Bearer ${secret}` } },
    "the secret as a cookie of its own": {
      headers: { ...forged, origin, cookie: `${cookie}; x-session-secret=${secret}` },
    },
    "the secret as subprotocol": {
      headers: { ...forged, origin, cookie, "sec-websocket-protocol": `casella, casella.secret.${secret}` },
    },
    "the secret in the address": {
      headers: { ...forged, origin, cookie },
      query: `?x-session-secret=${secret}&secret=${secret}`,
    },
    "the secret as a ticket": { headers: { ...forged, origin, cookie }, query: `?ticket=${secret}` },
    "the session's token as a ticket": {
      headers: { ...forged, origin, cookie },
      query: `?ticket=${cookie.slice(name.length + 1)}`,
    },
  }
}

describe("Every route", () => {
  // Catches a route that accepts the cookie alone, a choice between two cookies, or an unintended way to send the secret.
  it.each(guarded)("%s accepts nothing that another user of the computer has", async (_name, endpoint) => {
    const path = endpoint.path.replace(/:\w+/g, "x")
    const method = endpoint.method.toUpperCase()
    for (const [attack, { headers, query = "" }] of Object.entries(attacks())) {
      expect(await send(method, path + query, headers), attack).toBe(401)
    }
    // The complete request is accepted, so the attempts above are refused only because of what they lack.
    if (_name === "account.signOut") return
    expect(await send(method, path, { ...mine, ...forged }), "the page itself").not.toBe(401)
  })
})

describe("Signing in", () => {
  // Catches a session that someone else continues or ends with its cookie.
  it("continues no session by its cookie alone, and uses up no link when a second cookie is sent", async () => {
    const token = await box.box.signInToken()
    const body = JSON.stringify({ token })
    const json = { "content-type": "application/json", origin: box.url }
    const tossed = `${mine.cookie}; ${hers.cookie}`
    expect(await send("POST", "/api/public/session", { ...json, cookie: tossed }, body)).toBe(401)
    const stolen = await signInSeparately(token, mine.cookie)
    expect(getSecret(stolen)).toMatch(/^[\w-]{43}$/)
    expect(stolen.cookie).not.toBe(mine.cookie)
    expect(await send("GET", "/api/public/me", mine)).toBe(200)
  })

  async function signInSeparately(token: string, cookie: string): Promise<AppSession> {
    const answer = await fetch(`${box.url}/api/public/session`, {
      method: "POST",
      headers: { origin: box.url, "content-type": "application/json", cookie },
      body: JSON.stringify({ token }),
    })
    const { secret } = (await answer.json()) as { secret: string }
    const fresh = answer.headers.get("set-cookie")?.split(";")[0] ?? ""
    return { origin: box.url, cookie: fresh, "x-session-secret": secret }
  }
})

describe("WebSocket", () => {
  const connect = (protocols: string[], headers: Record<string, string>, query = "") =>
    new Promise<number | string>((resolve) => {
      const address = box.url.replace("http", "ws") + socketPath + query
      const socket = new WebSocket(address, protocols, { headers })
      socket.on("open", () => {
        socket.close()
        resolve(socket.protocol)
      })
      socket.on("unexpected-response", (_request, answer) => resolve(answer.statusCode ?? 0))
      socket.on("error", () => undefined)
    })

  it("opens for the page without echoing its secret", async () => {
    const { origin, cookie } = mine
    const secret = `casella.secret.${getSecret(mine)}`
    expect(await connect(["casella", secret], { origin, cookie })).toBe("casella")
    expect(await connect([secret, "casella"], { origin, cookie })).toBe("casella")
  })

  // Catches a socket that opens with a cookie alone, with a header that no browser sends, or with the first of two cookies.
  it("accepts nothing that another user of the computer has", async () => {
    const { origin, cookie } = mine
    const secret = `casella.secret.${getSecret(mine)}`
    const own = `casella.secret.${getSecret(hers)}`
    const tossed = `${hers.cookie}; ${cookie}`
    const tries: Record<string, [string[], Record<string, string>, string?]> = {
      "the cookie": [["casella"], { ...forged, origin, cookie }],
      "the secret": [["casella", secret], { ...forged, origin }],
      "a wrong secret": [["casella", own], { ...forged, origin, cookie }],
      "two secrets": [["casella", own, secret], { ...forged, origin, cookie }],
      "a header": [["casella"], mine],
      "two cookies": [["casella", secret], { ...forged, origin, cookie: tossed }],
      "the address": [["casella"], { ...forged, origin, cookie }, `?ticket=${getSecret(mine)}`],
    }
    for (const [what, [protocols, headers, query]] of Object.entries(tries)) {
      expect(await connect(protocols, headers, query), what).toBe(401)
    }
    expect(await connect(["casella", secret], { cookie }), "no Origin").toBe(403)
  })
})

describe("A download ticket", () => {
  const path = "/api/public/egress/csv"
  const issue = async (session: AppSession, of = path) => {
    const answer = await fetch(`${box.url}/api/public/session/downloads`, {
      method: "POST",
      headers: { ...session, "content-type": "application/json" },
      body: JSON.stringify({ path: of }),
    })
    return ((await answer.json()) as { path: string }).path
  }
  /** Opens an address as a browser follows a link on the page: with the cookie and without the page's headers. */
  const open = (address: string, { cookie }: { cookie: string } = mine) =>
    send("GET", address, { cookie, "sec-fetch-site": "same-origin", "sec-fetch-mode": "navigate" })

  // Catches a URL in a browser's history that can be opened again.
  it("opens exactly its path, once, for its own session", async () => {
    const ticket = await issue(mine)
    expect(ticket).toMatch(/^\/api\/public\/egress\/csv\?ticket=[\w-]{43}$/)
    expect(await open(ticket)).toBe(200)
    expect(await open(ticket)).toBe(401)
    expect(await open(await issue(mine, `${path}?host=a.example`))).toBe(200)
  })

  it("opens nothing else and for no one else, and is used up by the attempt", async () => {
    const other = await issue(mine)
    expect(await open(other, hers)).toBe(401)
    expect(await open(other)).toBe(401)
    const [, ticket = ""] = (await issue(mine)).split("?")
    expect(await open(`${path}?host=a.example&${ticket}`)).toBe(401)
    expect(await open(`${path}?${ticket}`)).toBe(401)
    expect(await send("GET", await issue(mine), { "sec-fetch-site": "same-origin" })).toBe(401)
    const cookies = { cookie: `${mine.cookie}; ${hers.cookie}`, "sec-fetch-site": "same-origin" }
    expect(await send("GET", await issue(mine), cookies)).toBe(401)
    expect(await send("GET", await issue(mine), { cookie: mine.cookie, "sec-fetch-site": "same-site" })).toBe(
      401,
    )
    // Tickets are only for downloads. The page itself reads JSON and streams.
    expect(await open(await issue(mine, "/api/public/me"))).toBe(401)
    expect(
      await send("POST", await issue(mine, "/api/public/keys"), { ...forged, cookie: mine.cookie }),
    ).toBe(401)
  })

  it("is issued only to the app's page, and only for API paths", async () => {
    await expect(box.client.account.download({ body: { path } })).rejects.toMatchObject({ code: "forbidden" })
    for (const foreignAddress of [
      "https://evil.example/",
      "//evil.example/api/",
      "/settings",
      "/api/\r\nx: y",
    ]) {
      const answer = await fetch(`${box.url}/api/public/session/downloads`, {
        method: "POST",
        headers: { ...mine, "content-type": "application/json" },
        body: JSON.stringify({ path: foreignAddress }),
      })
      expect(answer.status, foreignAddress).toBe(400)
    }
  })

  // Catches an ended session whose tickets still work.
  it("ends with its session", async () => {
    const session = await signIn(box.url, await box.box.signInToken())
    const ticket = await issue(session)
    await fetch(`${box.url}/api/public/session`, { method: "DELETE", headers: session })
    expect(await open(ticket, session)).toBe(401)
  })
})
