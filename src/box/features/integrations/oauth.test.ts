import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { startTestBox, type TestBox } from "../../testing/test-box.ts"
import { browse } from "./testing/browser.ts"
import { startMisleadingServer } from "./testing/misleading-server.ts"
import { startSignedServer, type SignedServer } from "./testing/signed-server.ts"

let box: TestBox
let server: SignedServer
beforeAll(async () => {
  box = await startTestBox()
  server = await startSignedServer()
})
afterAll(async () => {
  await box[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

const add = async (name: string) =>
  (await box.client.integrations.add({ body: { name, target: { kind: "http", url: server.url } } }))
    .integration.key
const link = (key: string) => box.client.integrations.link({ params: { key }, body: {} })

// Catches a sign-in that works with a mock of the SDK and with no real provider: discovery, registration, PKCE, tokens.
test("signs in at a real provider, and revokes what it was given when unlinked", async () => {
  const key = await add("Notes")
  const { authorizationUrl, integration } = await link(key)
  expect(integration.state).toBe("unlinked")
  const address = new URL(authorizationUrl ?? "")
  expect(address.origin).toBe(server.origin)
  expect(address.searchParams.get("code_challenge_method")).toBe("S256")
  expect(address.searchParams.get("redirect_uri")).toBe(`${box.url}/api/public/integrations/callback`)
  const page = await browse(address.href)
  expect(page).toMatchObject({ status: 200 })
  expect(page.text).toContain("Notes is linked")

  const linked = (await box.client.integrations.read({ params: { key } })).integration
  expect(linked).toMatchObject({ state: "linked", toolCount: 1, problem: null })
  expect(linked.tools[0]).toMatchObject({ functionName: "mcp_notes_whoami", effect: "write" })
  const answer = JSON.stringify(linked)
  const secrets = await readFile(join(box.dataDir, "secrets.json"), "utf8")
  const [token = ""] = /"access_token\\":\\"([^"\\]+)/.exec(secrets)?.slice(1) ?? []
  expect(token.length).toBeGreaterThan(10)
  expect(answer).not.toContain(token)

  // The callback's address, used again by whoever has seen it.
  const again = await fetch(page.url)
  expect(again.status).toBe(404)

  const { integration: gone } = await box.client.integrations.unlink({ params: { key } })
  expect(gone).toMatchObject({ state: "unlinked", toolCount: 0 })
  expect(server.revoked).toBeGreaterThan(0)
  expect(await readFile(join(box.dataDir, "secrets.json"), "utf8")).not.toContain(token)
})

// Catches a link that looks whole and fails in every chat.
test("says that signing in again is needed when the provider takes no token any more", async () => {
  const key = await add("Diary")
  await browse((await link(key)).authorizationUrl ?? "")
  await box.restart()
  server.distrust()
  const { integration } = await box.client.integrations.check({ params: { key } })
  expect(integration.state).toBe("signed_out")
  const { tools } = await box.client.tools.list()
  expect(tools.find((tool) => tool.key === key)?.linked).toBe(false)
})

// Catches answers that nobody asked for: a page of another site that links its own account to this box.
test("refuses answers with a wrong state, an error or the name of another provider", async () => {
  const callback = (query: string) => fetch(`${box.url}/api/public/integrations/callback?${query}`)
  expect((await callback("code=x")).status).toBe(404)
  expect((await callback("state=guessed&code=x")).status).toBe(404)
  const start = async () =>
    new URL((await link(await add(crypto.randomUUID().slice(0, 8)))).authorizationUrl ?? "")
  const denied = (await start()).searchParams.get("state") ?? ""
  const refusal = await callback(`state=${denied}&error=%3Cscript%3E`)
  expect(refusal.status).toBe(409)
  // Whoever began it hears of it where they did.
  const { integrations } = await box.client.integrations.list()
  expect(integrations.map(({ problem }) => problem)).toContain("The provider didn't let Casella in.")
  expect(await refusal.text()).not.toContain("script")
  const mixedUp = (await start()).searchParams.get("state") ?? ""
  const other = await callback(`state=${mixedUp}&code=x&iss=https://elsewhere.example`)
  expect(await other.text()).toContain("didn&#39;t come from where")
})

// Catches a server that has the box call into its owner's network, or the owner's browser open what isn't a web page.
test("goes nowhere that a server has no business to send it", async () => {
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
