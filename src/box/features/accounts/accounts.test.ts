import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { WebSocket } from "ws"
import { socketPath } from "../../../shared/contract/socket.ts"
import { exchange, getSession, signIn, getSocket, tokenIn, type AppSession } from "../../testing/clients.ts"
import { addUser, startTestBox, type TestBox, getRows } from "../../testing/test-box.ts"
import { createKeys } from "./keys.ts"

let box: TestBox
beforeAll(async () => {
  box = await startTestBox()
})
afterAll(() => box[Symbol.asyncDispose]())

describe("Signing out", () => {
  // Catches a session, or its socket, that continues because only the cookie was deleted.
  it("ends the session and its open connections", async () => {
    const session = await signIn(box.url, await box.box.signInToken())
    const { protocols, headers } = getSocket(session)
    const socket = new WebSocket(box.url.replace("http", "ws") + socketPath, protocols, { headers })
    await new Promise((resolve) => socket.once("message", resolve))
    const closed = new Promise<number>((resolve) => socket.once("close", resolve))
    const out = await fetch(`${box.url}/api/public/session`, { method: "DELETE", headers: session })
    expect(await out.json()).toEqual({ success: true })
    expect(await closed).toBe(1008)
    const again = await fetch(`${box.url}/api/public/me`, { headers: session })
    expect(again.status).toBe(401)
  })
})

describe("API keys", () => {
  it("have the specified format, are shown once and are listed without their secret", async () => {
    const { key, apiKey } = await box.client.keys.create({ body: { name: "Script" } })
    expect(key).toMatch(/^box_[A-Za-z0-9_-]{43}$/)
    const { keys } = await box.client.keys.list()
    expect(keys.map((entry) => entry.id)).toContain(apiKey.id)
    expect(JSON.stringify(keys)).not.toContain(key)
  })

  // Catches keys that are listed in another order each time because they were created within a millisecond.
  it("are listed newest first, however close together they were created", async () => {
    const ids: string[] = []
    for (const name of ["One", "Two", "Three"])
      ids.unshift((await box.client.keys.create({ body: { name } })).apiKey.id)
    await using database = await getRows(box.dataDir)
    const createdAt = "2026-01-01T00:00:00.000Z"
    await database.db.updateTable("apiKeys").set({ createdAt }).where("id", "in", ids).execute()
    const { keys } = await box.client.keys.list()
    expect(keys.map(({ id }) => id).filter((id) => ids.includes(id))).toEqual(ids)
  })

  // Catches the key itself being stored in the database file.
  it("are stored only as a hash", async () => {
    await using database = await getRows(box.dataDir)
    const rows = await database.db.selectFrom("apiKeys").selectAll().execute()
    expect(rows.some((row) => JSON.stringify(row).includes(box.key.slice(15)))).toBe(false)
  })

  it("are limited to their scopes", async () => {
    const { key } = await box.client.keys.create({ body: { name: "Reader", scopes: ["read-only"] } })
    const reader = box.getClient(key)
    expect((await reader.account.me()).user.email).toContain("@")
    await expect(reader.folders.create({ body: { name: "x" } })).rejects.toMatchObject({ code: "forbidden" })
    await expect(reader.keys.list()).rejects.toMatchObject({ code: "forbidden" })
    await expect(reader.keys.create({ body: { name: "wider" } })).rejects.toMatchObject({ code: "forbidden" })
  })

  // Catches a revoked key that still works in requests, or in a WebSocket that is already open.
  it("stop working everywhere when revoked through the API or by another process", async () => {
    for (const way of ["api", "process"] as const) {
      const { key, apiKey } = await box.client.keys.create({ body: { name: way } })
      const socket = new WebSocket(box.url.replace("http", "ws") + socketPath, {
        headers: { "x-api-key": key },
      })
      await new Promise((resolve) => socket.once("message", resolve))
      const closed = new Promise<number>((resolve) => socket.once("close", resolve))
      if (way === "api") await box.client.keys.revoke({ params: { id: apiKey.id } })
      else {
        await using database = await getRows(box.dataDir)
        await createKeys(database.db, () => undefined).revoke(null, apiKey.id)
      }
      expect(await closed).toBe(1008)
      await expect(box.getClient(key).account.me()).rejects.toMatchObject({ code: "unauthorized" })
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
  it("comes from a link that works once, and only for the box's own page", async () => {
    const token = await box.box.signInToken()
    const answer = await exchange(box.url, token)
    expect(answer.status).toBe(200)
    expect(answer.headers.get("cache-control")).toBe("no-store")
    const setCookie = answer.headers.get("set-cookie") ?? ""
    expect(setCookie).toMatch(/HttpOnly/i)
    expect(setCookie).toMatch(/SameSite=Strict/i)
    expect(setCookie).not.toMatch(/Domain=/i)
    expect((await exchange(box.url, token)).status).toBe(401)

    const { origin: _, ...session } = await getSession(box.url, answer)
    expect(session["x-session-secret"]).toMatch(/^[\w-]{43}$/)
    expect(setCookie).not.toContain(session["x-session-secret"])
    const me = (headers: Record<string, string>) =>
      fetch(`${box.url}/api/public/me`, { headers: { ...session, ...headers } })
    expect((await me({ "sec-fetch-site": "same-origin" })).status).toBe(200)
    // Another page on this computer is same-site, so the cookie is sent along: it must not be valid.
    expect((await me({ "sec-fetch-site": "same-site" })).status).toBe(401)
    expect((await me({ "sec-fetch-site": "cross-site" })).status).toBe(401)

    const create = (headers: Record<string, string>) =>
      fetch(`${box.url}/api/public/keys`, {
        method: "POST",
        headers: { ...session, "content-type": "application/json", ...headers },
        body: JSON.stringify({ name: "x" }),
      })
    expect((await create({})).status).toBe(401)
    expect((await create({ "sec-fetch-site": "none" })).status).toBe(401)
    expect((await create({ origin: box.url })).status).toBe(201)
  })
})

describe("A sign-in link in a signed-in browser", () => {
  const open = (token: string, more: { session?: AppSession; replace?: boolean } = {}) =>
    exchange(box.url, token, more)
  const signInAsOwner = async () => signIn(box.url, await box.box.signInToken())
  const nameIn = async (session: AppSession) => {
    const answer = await fetch(`${box.url}/api/public/me`, { headers: session })
    return ((await answer.json()) as { user?: { name: string } }).user?.name
  }
  const linkFor = async (email: string, name: string) =>
    tokenIn((await box.client.people.add({ body: { email, name } })).links.local)

  // Catches a link to the sender's own account that makes a colleague write into it unknowingly.
  it("for another user changes nothing until it is confirmed, then ends the other session", async () => {
    const ours = await signInAsOwner()
    const owner = await nameIn(ours)
    const token = await linkFor("mallory@example.net", "Mallory")
    const asked = await open(token, { session: ours })
    expect(asked.status).toBe(409)
    expect(asked.headers.get("set-cookie")).toBeNull()
    expect(await asked.json()).toMatchObject({
      code: "other_session",
      details: { current: { name: owner }, next: { name: "Mallory", email: "mallory@example.net" } },
    })
    expect(await nameIn(ours)).toBe(owner)
    const theirs = await getSession(box.url, await open(token, { session: ours, replace: true }))
    expect(await nameIn(theirs)).toBe("Mallory")
    expect(await nameIn(ours)).toBeUndefined()
    expect((await open(token, { session: theirs, replace: true })).status).toBe(401)
  })

  // Catches another port that sets or removes the cookie and then leads to its own link without a confirmation.
  it.each([
    ["set another", { cookie: "x".repeat(43) }],
    ["removed it", { cookie: "" }],
  ])(
    "for another user asks for confirmation when another port changed the cookie (%s)",
    async (_what, tossed) => {
      const ours = await signInAsOwner()
      const [name = ""] = ours.cookie.split("=")
      const session = { ...ours, cookie: tossed.cookie && `${name}=${tossed.cookie}` }
      const token = await linkFor(`${tossed.cookie.length}@example.net`, "Mallory")
      const asked = await open(token, { session })
      expect(asked.status).toBe(409)
      expect(asked.headers.get("set-cookie")).toBeNull()
      expect(await nameIn(ours)).toBeDefined()
      // The same user gets a new session that replaces the one whose cookie was lost.
      const own = await getSession(box.url, await open(await box.box.signInToken(), { session }))
      expect(await nameIn(own)).toBeDefined()
      expect(await nameIn(ours)).toBeUndefined()
      const theirs = await getSession(box.url, await open(token, { session: own, replace: true }))
      expect(await nameIn(theirs)).toBe("Mallory")
    },
  )

  // Catches an additional session at each start of the app, and streams that end because another window opened.
  it("for the same user keeps the session, for as long as a new one would last", async () => {
    const session = await signInAsOwner()
    const count = async () => {
      await using database = await getRows(box.dataDir)
      await database.db
        .updateTable("sessions")
        .set({ expiresAt: new Date(Date.now() + 60_000).toISOString() })
        .execute()
      return (await database.db.selectFrom("sessions").select("id").execute()).length
    }
    const before = await count()
    const again = await open(await box.box.signInToken(), { session })
    expect(await again.json()).toMatchObject({ secret: null })
    expect(again.headers.get("set-cookie")).toContain(`${session.cookie};`)
    expect(again.headers.get("set-cookie")).toMatch(/Max-Age=15552000/)
    await using database = await getRows(box.dataDir)
    const expiry = await database.db
      .selectFrom("sessions")
      .select("expiresAt")
      .orderBy("expiresAt", "desc")
      .execute()
    expect(expiry).toHaveLength(before)
    expect(Date.parse(expiry[0]?.expiresAt ?? "")).toBeGreaterThan(Date.now() + 1e10)
  })

  // Catches a confirmation for a session that has ended.
  it("needs no confirmation after the session has ended", async () => {
    const session = await signInAsOwner()
    await fetch(`${box.url}/api/public/session`, { method: "DELETE", headers: session })
    const token = await linkFor("cleo@example.net", "Cleo")
    expect(await nameIn(await getSession(box.url, await open(token, { session })))).toBe("Cleo")
  })
})

describe("Users added on the command line", () => {
  it("share the first workspace, however many there are", async () => {
    const bob = await addUser(box, "bob@example.com")
    const mine = await box.client.account.me()
    const his = await bob.account.me()
    expect(his.user.email).toBe("bob@example.com")
    expect(his.workspaces.map((workspace) => workspace.id)).toEqual(
      mine.workspaces.map((workspace) => workspace.id),
    )
  })
})
