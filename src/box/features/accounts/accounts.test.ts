import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { WebSocket } from "ws"
import { socketPath } from "../../../shared/contract/socket.ts"
import { openDatabase } from "../../core/database.ts"
import { databasePath } from "../../start-box.ts"
import { addUser, startTestBox, type TestBox } from "../../testing/test-box.ts"
import { createKeys } from "./keys.ts"

let box: TestBox
beforeAll(async () => {
  box = await startTestBox()
})
afterAll(() => box[Symbol.asyncDispose]())

describe("Signing out", () => {
  // Would catch: a session, or a socket of it, that lives on because only the cookie was deleted.
  it("ends the session and what is open with it", async () => {
    const token = await box.box.signInToken()
    const headers = { origin: box.url, "content-type": "application/json" }
    const signedIn = await fetch(`${box.url}/api/public/session`, {
      method: "POST",
      headers,
      body: JSON.stringify({ token }),
    })
    const cookie = signedIn.headers.get("set-cookie")?.split(";")[0] ?? ""
    const socket = new WebSocket(box.url.replace("http", "ws") + socketPath, {
      headers: { cookie, origin: box.url },
    })
    await new Promise((resolve) => socket.once("message", resolve))
    const closed = new Promise<number>((resolve) => socket.once("close", resolve))
    const out = await fetch(`${box.url}/api/public/session`, {
      method: "DELETE",
      headers: { ...headers, cookie },
    })
    expect(await out.json()).toEqual({ success: true })
    expect(await closed).toBe(1008)
    const again = await fetch(`${box.url}/api/public/me`, {
      headers: { cookie, "sec-fetch-site": "same-origin" },
    })
    expect(again.status).toBe(401)
  })
})

describe("API keys", () => {
  it("have the decided form, are shown once and are listed without their secret", async () => {
    const { key, apiKey } = await box.client.keys.create({ body: { name: "Script" } })
    expect(key).toMatch(/^box_[A-Za-z0-9_-]{43}$/)
    const { keys } = await box.client.keys.list()
    expect(keys.map((entry) => entry.id)).toContain(apiKey.id)
    expect(JSON.stringify(keys)).not.toContain(key)
  })

  // Would catch: the key itself in the database file.
  it("are stored as a hash only", async () => {
    await using database = openDatabase(databasePath(box.dataDir))
    const rows = await database.db.selectFrom("apiKeys").selectAll().execute()
    expect(rows.some((row) => JSON.stringify(row).includes(box.key.slice(15)))).toBe(false)
  })

  it("are limited to their scopes", async () => {
    const { key } = await box.client.keys.create({ body: { name: "Reader", scopes: ["read-only"] } })
    const reader = box.clientOf(key)
    expect((await reader.account.me()).user.email).toContain("@")
    await expect(reader.folders.create({ body: { name: "x" } })).rejects.toMatchObject({ code: "forbidden" })
    await expect(reader.keys.list()).rejects.toMatchObject({ code: "forbidden" })
    await expect(reader.keys.create({ body: { name: "wider" } })).rejects.toMatchObject({ code: "forbidden" })
  })

  // Would catch: a revoked key that lives on in requests, or in a WebSocket that is already open.
  it("end everywhere when revoked, by the API or by another process", async () => {
    for (const way of ["api", "process"] as const) {
      const { key, apiKey } = await box.client.keys.create({ body: { name: way } })
      const socket = new WebSocket(box.url.replace("http", "ws") + socketPath, {
        headers: { "x-api-key": key },
      })
      await new Promise((resolve) => socket.once("message", resolve))
      const closed = new Promise<number>((resolve) => socket.once("close", resolve))
      if (way === "api") await box.client.keys.revoke({ params: { id: apiKey.id } })
      else {
        await using database = openDatabase(databasePath(box.dataDir))
        await createKeys(database.db, () => undefined).revoke(null, apiKey.id)
      }
      expect(await closed).toBe(1008)
      await expect(box.clientOf(key).account.me()).rejects.toMatchObject({ code: "unauthorized" })
    }
  })

  it("of one user can't be revoked by another", async () => {
    const other = await addUser(box, "mallory@example.com")
    const { apiKey } = await box.client.keys.create({ body: { name: "Mine" } })
    await expect(other.keys.revoke({ params: { id: apiKey.id } })).rejects.toMatchObject({
      code: "not_found",
    })
    expect((await other.keys.list()).keys).toHaveLength(1)
  })
})

describe("App session", () => {
  const signIn = async (token: string) =>
    fetch(`${box.url}/api/public/session`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: box.url },
      body: JSON.stringify({ token }),
    })

  it("comes from a link that works once, and only for the box's own page", async () => {
    const token = await box.box.signInToken()
    const answer = await signIn(token)
    expect(answer.status).toBe(200)
    const cookie = answer.headers.get("set-cookie") ?? ""
    expect(cookie).toMatch(/HttpOnly/i)
    expect(cookie).toMatch(/SameSite=Strict/i)
    expect(cookie).not.toMatch(/Domain=/i)
    expect((await signIn(token)).status).toBe(401)

    const session = cookie.split(";")[0] ?? ""
    const me = (headers: Record<string, string>) =>
      fetch(`${box.url}/api/public/me`, { headers: { cookie: session, ...headers } })
    expect((await me({ "sec-fetch-site": "same-origin" })).status).toBe(200)
    // Another page on this computer is same-site, so the cookie comes along: it must not count.
    expect((await me({ "sec-fetch-site": "same-site" })).status).toBe(401)
    expect((await me({ "sec-fetch-site": "cross-site" })).status).toBe(401)

    const create = (headers: Record<string, string>) =>
      fetch(`${box.url}/api/public/keys`, {
        method: "POST",
        headers: { cookie: session, "content-type": "application/json", ...headers },
        body: JSON.stringify({ name: "x" }),
      })
    expect((await create({})).status).toBe(401)
    expect((await create({ "sec-fetch-site": "none" })).status).toBe(401)
    expect((await create({ origin: box.url })).status).toBe(201)
  })
})

describe("A sign-in link in a browser that is signed in", () => {
  const open = (token: string, more: { cookie?: string; replace?: boolean } = {}) =>
    fetch(`${box.url}/api/public/session`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        origin: box.url,
        ...(more.cookie === undefined ? {} : { cookie: more.cookie }),
      },
      body: JSON.stringify({ token, ...(more.replace === undefined ? {} : { replace: more.replace }) }),
    })
  const cookieOf = (answer: Response) => answer.headers.get("set-cookie")?.split(";")[0] ?? ""
  const nameIn = async (cookie: string) => {
    const headers = { cookie, "sec-fetch-site": "same-origin" }
    const answer = await fetch(`${box.url}/api/public/me`, { headers })
    return ((await answer.json()) as { user?: { name: string } }).user?.name
  }
  const linkFor = async (email: string, name: string) => {
    const { links } = await box.client.people.add({ body: { email, name } })
    return new URL(links.local).hash.split("token=")[1] ?? ""
  }

  // Would catch: a link of somebody's own account that, sent to a colleague, has them write into it unawares.
  it("as somebody else changes nothing until that is confirmed, then ends the other session", async () => {
    const ours = cookieOf(await open(await box.box.signInToken()))
    const owner = await nameIn(ours)
    const token = await linkFor("mallory@example.net", "Mallory")
    const asked = await open(token, { cookie: ours })
    expect(asked.status).toBe(409)
    expect(asked.headers.get("set-cookie")).toBeNull()
    expect(await asked.json()).toMatchObject({
      code: "other_session",
      details: { current: { name: owner }, next: { name: "Mallory", email: "mallory@example.net" } },
    })
    expect(await nameIn(ours)).toBe(owner)
    const theirs = cookieOf(await open(token, { cookie: ours, replace: true }))
    expect(await nameIn(theirs)).toBe("Mallory")
    expect(await nameIn(ours)).toBeUndefined()
    expect((await open(token, { cookie: theirs, replace: true })).status).toBe(401)
  })

  // Would catch: a session more at each start of the app, and streams that end because another window opened.
  it("as the same person goes on with the session, for as long as a new one would", async () => {
    const cookie = cookieOf(await open(await box.box.signInToken()))
    const count = async () => {
      await using database = openDatabase(databasePath(box.dataDir))
      await database.db
        .updateTable("sessions")
        .set({ expiresAt: new Date(Date.now() + 60_000).toISOString() })
        .execute()
      return (await database.db.selectFrom("sessions").select("id").execute()).length
    }
    const before = await count()
    const again = await open(await box.box.signInToken(), { cookie })
    expect(cookieOf(again)).toBe(cookie)
    expect(again.headers.get("set-cookie")).toMatch(/Max-Age=15552000/)
    await using database = openDatabase(databasePath(box.dataDir))
    const expiry = await database.db
      .selectFrom("sessions")
      .select("expiresAt")
      .orderBy("expiresAt", "desc")
      .execute()
    expect(expiry).toHaveLength(before)
    expect(Date.parse(expiry[0]?.expiresAt ?? "")).toBeGreaterThan(Date.now() + 1e10)
  })

  // Would catch: a cookie that counts although another page makes the request.
  it("asks nobody whose session isn't the browser's", async () => {
    const expired = cookieOf(await open(await box.box.signInToken())).slice(0, -4)
    const token = await linkFor("cleo@example.net", "Cleo")
    expect(await nameIn(cookieOf(await open(token, { cookie: expired })))).toBe("Cleo")
  })
})

describe("The command line's people", () => {
  it("share the first workspace, whatever their number", async () => {
    const bob = await addUser(box, "bob@example.com")
    const mine = await box.client.account.me()
    const his = await bob.account.me()
    expect(his.user.email).toBe("bob@example.com")
    expect(his.workspaces.map((workspace) => workspace.id)).toEqual(
      mine.workspaces.map((workspace) => workspace.id),
    )
  })
})
