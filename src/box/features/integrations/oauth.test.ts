import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { createClient, type Client } from "../../../shared/client/http-client.ts"
import { signIn, tokenIn, type AppSession } from "../../testing/clients.ts"
import { startTestBox, type TestBox } from "../../testing/test-box.ts"
import { browse, startMisleadingServer, startSignedServer, type SignedServer } from "./testing/mcp-servers.ts"

let box: TestBox
let server: SignedServer
beforeEach(async () => {
  box = await startTestBox()
  server = await startSignedServer()
})
afterEach(async () => {
  await box[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

const add = async (name: string) =>
  (await box.client.integrations.add({ body: { name, target: { kind: "http", url: server.url } } }))
    .integration.key
/** Signs in at the provider, up to the page that asks for confirmation. Returns what the provider sent. */
async function signInAt(address: string | null) {
  const { hash, origin } = new URL((await browse(address ?? "")).url)
  expect(origin).toBe(box.url)
  expect(hash).toMatch(/^#\/finish-link\?/)
  const { state = "", code = "", iss } = Object.fromEntries(new URLSearchParams(hash.split("?")[1]))
  return { state, code, ...(iss === undefined ? {} : { iss }) }
}
const link = (key: string) => box.client.integrations.link({ params: { key }, body: {} })

// Catches a sign-in that works only with a mock of the SDK and not with a real provider: discovery, registration, PKCE, tokens.
test("signs in at a real provider, and revokes its tokens when it is disconnected", async () => {
  const key = await add("Notes")
  const { authorizationUrl, integration } = await link(key)
  expect(integration.state).toBe("unlinked")
  const address = new URL(authorizationUrl ?? "")
  expect(address.origin).toBe(server.origin)
  expect(address.searchParams.get("code_challenge_method")).toBe("S256")
  expect(address.searchParams.get("redirect_uri")).toBe(`${box.url}/api/public/integrations/callback`)
  const answer = await signInAt(address.href)
  const waiting = (await box.client.integrations.read({ params: { key } })).integration
  expect(waiting).toMatchObject({ state: "unlinked", problem: null })
  expect(await readFile(join(box.dataDir, "secrets.json"), "utf8")).not.toContain("access_token")
  await box.client.integrations.finish({ body: answer })

  const linked = (await box.client.integrations.read({ params: { key } })).integration
  expect(linked).toMatchObject({ state: "linked", toolCount: 1, problem: null })
  expect(linked.tools[0]).toMatchObject({ functionName: "mcp_notes_whoami", effect: "write" })
  const shown = JSON.stringify(linked)
  const secrets = await readFile(join(box.dataDir, "secrets.json"), "utf8")
  const [token = ""] = /"access_token\\":\\"([^"\\]+)/.exec(secrets)?.slice(1) ?? []
  expect(token.length).toBeGreaterThan(10)
  expect(shown).not.toContain(token)

  // Someone who has seen the callback URL uses it again.
  const again = await fetch(
    `${box.url}/api/public/integrations/callback?${new URLSearchParams(answer).toString()}`,
  )
  expect(again.status).toBe(404)
  await expect(box.client.integrations.finish({ body: answer })).rejects.toMatchObject({ code: "not_found" })

  const { integration: gone } = await box.client.integrations.unlink({ params: { key } })
  expect(gone).toMatchObject({ state: "unlinked", toolCount: 0 })
  expect(server.revoked).toBeGreaterThan(0)
  expect(await readFile(join(box.dataDir, "secrets.json"), "utf8")).not.toContain(token)
})

// Catches a connection that looks valid but fails in every chat.
test("reports that a new sign-in is needed when the provider no longer accepts its tokens", async () => {
  const key = await add("Diary")
  await box.client.integrations.finish({ body: await signInAt((await link(key)).authorizationUrl) })
  await box.restart()
  server.distrust()
  const { integration } = await box.client.integrations.check({ params: { key } })
  expect(integration.state).toBe("signed_out")
  const { tools } = await box.client.tools.list()
  expect(tools.find((tool) => tool.key === key)?.linked).toBe(false)
})

// Catches unsolicited answers, such as a page of another site that connects its own account to this server.
test("refuses answers with a wrong state, an error or the name of another provider", async () => {
  const callback = (query: string) => fetch(`${box.url}/api/public/integrations/callback?${query}`)
  expect((await callback("code=x")).status).toBe(404)
  expect((await callback("state=guessed&code=x")).status).toBe(404)
  const start = async () =>
    new URL((await link(await add(crypto.randomUUID().slice(0, 8)))).authorizationUrl ?? "")
  const denied = (await start()).searchParams.get("state") ?? ""
  const refusal = await callback(`state=${denied}&error=%3Cscript%3E`)
  expect(refusal.status).toBe(409)
  // The user who started the sign-in sees the error where they started it.
  const { integrations } = await box.client.integrations.list()
  expect(integrations.map(({ problem }) => problem)).toContain("The provider denied access.")
  expect(await refusal.text()).not.toContain("script")
  const mixedUp = (await start()).searchParams.get("state") ?? ""
  const other = box.client.integrations.finish({
    body: { state: mixedUp, code: "x", iss: "https://elsewhere.example" },
  })
  await expect(other).rejects.toThrow("didn't come from the server where")
})

describe("Only the session or key that started a sign-in can finish it", () => {
  let ann: Client
  let bob: Client
  /** Another session that belongs to Ann. */
  let annOtherSession: Client
  let app: Client
  const getPage = (session: AppSession) => createClient({ baseUrl: box.url, headers: session })
  beforeEach(async () => {
    const join = async (name: string) => {
      const body = { email: `${name}@example.com`, name, role: "owner" as const }
      const { person, links } = await box.client.people.add({ body })
      const { links: more } = await box.client.people.signInLinks({ params: { id: person.id } })
      return [links, more].map(({ local }) => tokenIn(local))
    }
    const [first = "", second = ""] = await join("Ann")
    ann = getPage(await signIn(box.url, first))
    annOtherSession = getPage(await signIn(box.url, second))
    bob = getPage(await signIn(box.url, (await join("Bob"))[0] ?? ""))
    app = getPage(await signIn(box.url, await box.box.signInToken()))
  })
  const begin = async (of: Client, name: string) => {
    const body = { name, target: { kind: "http" as const, url: server.url } }
    const key = (await of.integrations.add({ body })).integration.key
    const again = async () => (await of.integrations.link({ params: { key }, body: {} })).authorizationUrl
    return { key, again, address: await again() }
  }
  const getState = async (of: Client, key: string) =>
    (await of.integrations.read({ params: { key } })).integration
  const forbidden = { code: "forbidden", message: expect.stringContaining("Nothing was connected") as string }

  // Catches an account that is connected for the person who sent the link: no one would notice that someone else's mail is read.
  test("two people with each other's link connect nothing, and both see an error", async () => {
    const hers = await begin(ann, "Hers")
    const his = await begin(bob, "His")
    const [herAnswer, hisAnswer] = [await signInAt(hers.address), await signInAt(his.address)]
    const shownSignIn = await bob.integrations.signIn({ body: { state: herAnswer.state } })
    expect(shownSignIn).toEqual({
      integration: "Hers",
      person: "Ann",
      own: false,
      inApp: false,
      answered: false,
    })
    await expect(bob.integrations.finish({ body: herAnswer })).rejects.toMatchObject(forbidden)
    await expect(ann.integrations.finish({ body: hisAnswer })).rejects.toMatchObject(forbidden)
    // The attempts ended both sign-ins, also for the people who started them.
    await expect(ann.integrations.finish({ body: herAnswer })).rejects.toMatchObject({ code: "not_found" })
    expect(await getState(ann, hers.key)).toMatchObject({ state: "unlinked", problem: forbidden.message })
    expect(await getState(bob, his.key)).toMatchObject({ state: "unlinked", problem: forbidden.message })
    await ann.integrations.finish({ body: await signInAt(await hers.again()) })
    expect(await getState(ann, hers.key)).toMatchObject({ state: "linked", problem: null })
  })

  test("another session of the same person, their key and an anonymous client can't finish a sign-in", async () => {
    const { key, again, address } = await begin(ann, "Sessions")
    const { key: secret } = await ann.keys.create({ body: { name: "Ann's" } })
    const anonymous = createClient({ baseUrl: box.url })
    for (const [index, other] of [annOtherSession, box.getClient(secret)].entries()) {
      const answer = await signInAt(index === 0 ? address : await again())
      await expect(other.integrations.finish({ body: answer })).rejects.toMatchObject(forbidden)
    }
    const answer = await signInAt(await again())
    await expect(anonymous.integrations.finish({ body: answer })).rejects.toMatchObject({
      code: "unauthorized",
    })
    // A browser started this sign-in, so its answer can't be handed to an app.
    await expect(anonymous.integrations.handOver({ body: answer })).rejects.toMatchObject(forbidden)
    expect(await getState(ann, key)).toMatchObject({ state: "unlinked" })
  })

  // Catches desktop app sign-ins that never finish, because the system's browser has no session.
  test("a browser without a session hands the answer to the desktop app, which asks for confirmation", async () => {
    const { key, again, address } = await begin(app, "Desk")
    const anonymous = createClient({ baseUrl: box.url })
    const answer = await signInAt(address)
    const { state } = answer
    expect(await anonymous.integrations.signIn({ body: { state } })).toMatchObject({
      own: false,
      inApp: true,
    })
    await anonymous.integrations.handOver({ body: answer })
    expect(await getState(app, key)).toMatchObject({ state: "unlinked" })
    expect(await app.integrations.signIn({ body: { state } })).toMatchObject({ own: true, answered: true })
    await app.integrations.finish({ body: { state } })
    expect(await getState(app, key)).toMatchObject({ state: "linked" })

    const twice = await signInAt(await again())
    await anonymous.integrations.handOver({ body: twice })
    await expect(
      anonymous.integrations.handOver({ body: { ...twice, code: "another" } }),
    ).rejects.toMatchObject({
      code: "conflict",
    })
    await expect(app.integrations.finish({ body: { state: twice.state } })).rejects.toMatchObject({
      code: "not_found",
    })
  })
})

// Catches an MCP server that makes Casella call into its owner's network, or makes the owner's browser open something other than a web
// page.
test("follows no URL that a server isn't allowed to send it to", async () => {
  await using sink = await startMisleadingServer(() => ({}))
  await using inside = await startMisleadingServer(() => ({
    registration_endpoint: `${sink.origin}/register`,
  }))
  await using odd = await startMisleadingServer(() => ({ authorization_endpoint: "smb://host/share" }))
  await using plain = await startMisleadingServer(() => ({
    authorization_endpoint: "http://example.com/sign-in",
  }))
  await using honest = await startMisleadingServer(() => ({}))
  const linkTo = async (url: string) => {
    const body = { name: crypto.randomUUID().slice(0, 8), target: { kind: "http" as const, url } }
    return link((await box.client.integrations.add({ body })).integration.key)
  }
  await expect(linkTo(inside.url)).rejects.toMatchObject({ code: "forbidden" })
  expect(sink.asked).toEqual([])
  await expect(linkTo(odd.url)).rejects.toMatchObject({ code: "forbidden" })
  await expect(linkTo(plain.url)).rejects.toMatchObject({ code: "forbidden" })
  expect((await linkTo(honest.url)).authorizationUrl).toContain(`${honest.origin}/authorize?`)
})
