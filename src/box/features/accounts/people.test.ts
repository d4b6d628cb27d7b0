import { once } from "node:events"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { WebSocket } from "ws"
import type { Client } from "../../../shared/client/http-client.ts"
import type { SignInLinks } from "../../../shared/contract/accounts.ts"
import { socketPath } from "../../../shared/contract/socket.ts"
import { exchange, getKey, signIn, tokenIn, type AppSession } from "../../testing/clients.ts"
import { startTestBox, type TestBox } from "../../testing/test-box.ts"
import { pageAddresses } from "./routes.ts"

let box: TestBox
beforeEach(async () => {
  box = await startTestBox()
})
afterEach(() => box[Symbol.asyncDispose]())

const open = (links: SignInLinks) => exchange(box.url, tokenIn(links.local))
const sessionBy = (links: SignInLinks) => signIn(box.url, tokenIn(links.local))
const me = (session: AppSession) => fetch(`${box.url}/api/public/me`, { headers: session })

async function addPerson(email: string, name = "Someone") {
  const { person, links } = await box.client.people.add({ body: { email, name } })
  const session = await sessionBy(links)
  const key = await getKey(box.url, session)
  return { person, links, session, key, client: box.getClient(key) }
}

describe("A person who is added", () => {
  it("gets a link that works once, and shares the workspace", async () => {
    const { person, links } = await box.client.people.add({
      body: { email: "ann@example.com", name: " Ann " },
    })
    expect(person).toMatchObject({ name: "Ann", role: "member", disabledAt: null })
    expect(links.network).toEqual([])
    expect((await open(links)).status).toBe(200)
    expect((await open(links)).status).toBe(401)
    const again = (await box.client.people.signInLinks({ params: { id: person.id } })).links
    expect((await me(await sessionBy(again))).status).toBe(200)
  })

  it("needs a unique email address", async () => {
    for (const email of ["nothing", "a b@example.com", `${"x".repeat(250)}@example.com`]) {
      await expect(box.client.people.add({ body: { email, name: "x" } })).rejects.toMatchObject({
        code: "validation",
        details: [{ field: "email" }],
      })
    }
    await expect(
      box.client.people.add({ body: { email: "OWNER@casella.local", name: "x" } }),
    ).rejects.toMatchObject({ code: "conflict", details: [{ field: "email" }] })
  })
})

describe("Rights", () => {
  // Catches a member who admits others, makes themselves an owner, or signs in as the owner.
  it("over other people belong to owners only", async () => {
    const { person, client } = await addPerson("mallory@example.com")
    const { user } = await box.client.account.me()
    const attempts: Promise<unknown>[] = [
      client.people.add({ body: { email: "x@example.com", name: "x" } }),
      client.people.signInLinks({ params: { id: user.id } }),
      client.people.update({ params: { id: user.id }, body: { name: "x" } }),
      client.people.update({ params: { id: user.id }, body: { disabled: true } }),
      client.people.update({ params: { id: person.id }, body: { role: "owner" } }),
      client.people.update({ params: { id: person.id }, body: { disabled: false } }),
    ]
    await Promise.all(attempts.map((attempt) => expect(attempt).rejects.toMatchObject({ code: "forbidden" })))
    const changed = await client.people.update({ params: { id: person.id }, body: { name: "Mal" } })
    expect(changed.person).toMatchObject({ name: "Mal", email: "mallory@example.com", role: "member" })
  })

  it("require a key without limited scopes", async () => {
    const { key } = await box.client.keys.create({ body: { name: "Reader", scopes: ["read-only"] } })
    await expect(box.getClient(key).people.list()).rejects.toMatchObject({ code: "forbidden" })
  })

  // Catches a box that no one can administer any more.
  it("never leave the box without an owner", async () => {
    const { user } = await box.client.account.me()
    const own = { params: { id: user.id } }
    for (const body of [{ disabled: true }, { role: "member" as const }]) {
      await expect(box.client.people.update({ ...own, body })).rejects.toMatchObject({ code: "conflict" })
    }
    const { people } = await box.client.people.list()
    expect(people.find(({ id }) => id === user.id)).toMatchObject({ role: "owner", disabledAt: null })
  })
})

describe("Someone who is disabled", () => {
  const disable = (id: string, disabled: boolean) =>
    box.client.people.update({ params: { id }, body: { disabled } })

  // Catches a session, key, link or open socket that still works after its user was disabled.
  it("is signed out everywhere at once, and returns to their data only with a new link", async () => {
    const { person, session, key, client } = await addPerson("bob@example.com", "Bob")
    const make = (of: Client, name: string, visibility: "PRIVATE" | "TEAM") =>
      of.folders.create({ body: { name, visibility } })
    const secret = await make(client, "Diary", "PRIVATE")
    const shared = await make(client, "Team", "TEAM")
    const unused = (await box.client.people.signInLinks({ params: { id: person.id } })).links
    const socket = new WebSocket(box.url.replace("http", "ws") + socketPath, {
      headers: { "x-api-key": key },
    })
    await once(socket, "message")
    const closed = once(socket, "close")

    expect((await disable(person.id, true)).person.disabledAt).not.toBeNull()
    expect((await closed)[0]).toBe(1008)
    await expect(client.account.me()).rejects.toMatchObject({ code: "unauthorized" })
    expect((await me(session)).status).toBe(401)
    expect((await open(unused)).status).toBe(401)
    await expect(box.client.people.signInLinks({ params: { id: person.id } })).rejects.toMatchObject({
      code: "conflict",
    })
    const seen = (await box.client.folders.list()).vectors.map(({ id }) => id)
    expect(seen).toContain(shared.vector.id)
    expect(seen).not.toContain(secret.vector.id)

    await disable(person.id, false)
    await expect(client.account.me()).rejects.toMatchObject({ code: "unauthorized" })
    expect((await me(session)).status).toBe(401)
    const { links } = await box.client.people.signInLinks({ params: { id: person.id } })
    const back = box.getClient(await getKey(box.url, await sessionBy(links)))
    const kept = (await back.folders.list()).vectors.map(({ id }) => id)
    expect(kept).toEqual(expect.arrayContaining([secret.vector.id, shared.vector.id]))
  })

  // Catches an unrelated change that signs people out.
  it("doesn't include people who are renamed or already enabled", async () => {
    const { person, client } = await addPerson("cleo@example.com")
    await box.client.people.update({ params: { id: person.id }, body: { name: "Cleo", role: "owner" } })
    await disable(person.id, false)
    expect((await client.account.me()).workspaces.map(({ role }) => role)).toEqual(["owner"])
  })
})

describe("Addresses of the page", () => {
  it.each([
    [{ host: "127.0.0.1", port: 8484, allowedHosts: ["box.lan"] }, "http://127.0.0.1:8484", []],
    [
      { host: "0.0.0.0", port: 8484, allowedHosts: ["box.lan", "10.0.0.5:9000"] },
      "http://127.0.0.1:8484",
      ["http://box.lan:8484", "http://10.0.0.5:9000"],
    ],
    [{ host: "192.168.1.4", port: 80, allowedHosts: [] }, "http://192.168.1.4:80", []],
  ])("of a box on %o", (listening, local, network) => {
    expect(pageAddresses({ openAddresses: [], publicUrl: null, ...listening })).toEqual({ local, network })
  })
})
