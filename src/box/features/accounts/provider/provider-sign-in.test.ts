import { generateKeyPairSync } from "node:crypto"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { sessionSecretHeader } from "../../../../shared/contract/session.ts"
import { exchange, getKey, getSession, signIn, type AppSession } from "../../../testing/clients.ts"
import { getRows, startTestBox, type TestBox } from "../../../testing/test-box.ts"
import {
  createTestBrowser,
  clientId,
  clientSecret,
  startTestProvider,
  type TestProvider,
} from "./testing/test-provider.ts"

let provider: TestProvider
let box: TestBox
const oidc = {
  clientId,
  clientSecret,
  groups: ["staff", "heads"] as string[] | null,
  ownerGroups: ["heads"],
  groupsClaim: "groups",
}
beforeAll(async () => {
  provider = await startTestProvider()
  box = await startTestBox({ oidc: { ...oidc, issuer: provider.issuer } })
  provider.trust(box.url)
})
afterAll(async () => {
  await box[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
})
beforeEach(() => {
  provider.person = null
  provider.fault = null
  provider.forge = null
})

const startUrl = () => `${box.url}/api/public/sign-in/provider`
const isCallback = (address: string) => address.includes("/provider/callback")
const getParameters = (address: string) => new URLSearchParams(new URL(address).hash.split("?")[1])
const getToken = (address: string) => getParameters(address).get("token") ?? `none: ${address}`
const getProblem = (address: string) => getParameters(address).get("problem") ?? `none: ${address}`
/** Returns the address where a new browser ends up after signing in. */
const arrive = () => createTestBrowser().visit(startUrl())

async function me(session: AppSession) {
  const answer = await fetch(`${box.url}/api/public/me`, { headers: session })
  return answer.ok
    ? ((await answer.json()) as { user: { id: string; email: string }; workspaces: { role: string }[] })
    : null
}

const enter = async (person: NonNullable<TestProvider["person"]>) => {
  provider.person = person
  const session = await signIn(box.url, getToken(await arrive()))
  return { session, me: await me(session) }
}
const staff = (sub: string, more: object = {}) => ({
  sub,
  email: `${sub}@example.com`,
  email_verified: true,
  name: `The ${sub}`,
  groups: ["staff"],
  ...more,
})
const listPeople = async () => (await box.client.people.list()).people

describe("a person confirmed by the provider", () => {
  it("becomes a user at the first sign-in, and is the same user at the next one, even with another address", async () => {
    const first = await enter(staff("ada"))
    expect(first.me).toMatchObject({
      user: { email: "ada@example.com", name: "The ada" },
      workspaces: [{ role: "member" }],
    })
    const second = await enter(staff("ada", { email: "ada.new@example.com" }))
    expect(second.me?.user.id).toBe(first.me?.user.id)
    expect((await listPeople()).filter(({ email }) => email.startsWith("ada"))).toHaveLength(1)
  })

  // Catches a session that outlasts the user's account at the provider by half a year.
  it("stays signed in for 12 hours, and a person with a link for 180 days", async () => {
    provider.person = staff("brief")
    const byProvider = await exchange(box.url, getToken(await arrive()))
    expect(byProvider.headers.get("set-cookie")).toContain(`Max-Age=${12 * 3600};`)
    await using database = await getRows(box.dataDir)
    const [row] = await database.db
      .selectFrom("sessions")
      .select("expiresAt")
      .where("idToken", "is not", null)
      .orderBy("createdAt", "desc")
      .limit(1)
      .execute()
    expect(Date.parse(row?.expiresAt ?? "")).toBeLessThanOrEqual(Date.now() + 12 * 3_600_000)
  })

  // Catches rights that a user keeps after losing them at the provider.
  it("has the role of their groups after each sign-in, also in existing sessions", async () => {
    const head = await enter(staff("grace", { groups: ["heads"] }))
    expect(head.me?.workspaces).toMatchObject([{ role: "owner" }])
    await enter(staff("grace"))
    expect((await me(head.session))?.workspaces).toMatchObject([{ role: "member" }])
    const people = await fetch(`${box.url}/api/public/people`, {
      method: "POST",
      headers: { ...head.session, "content-type": "application/json" },
      body: JSON.stringify({ name: "X", email: "x@example.com" }),
    })
    expect(people.status).toBe(403)
  })

  it("is refused outside the groups, without an address, or with an unverified one", async () => {
    provider.person = staff("eve", { groups: ["others"] })
    expect(getProblem(await arrive())).toBe("not_in_group")
    provider.person = { sub: "eve", groups: ["staff"] }
    expect(getProblem(await arrive())).toBe("no_email")
    provider.person = staff("eve", { email_verified: false })
    expect(getProblem(await arrive())).toBe("no_email")
    expect((await listPeople()).filter(({ email }) => email.startsWith("eve"))).toEqual([])
  })

  // Catches an account that is taken over by anyone who claims its address.
  it("becomes the existing user with their address only if it is verified, and only once", async () => {
    const { person } = await box.client.people.add({ body: { email: "known@example.com", name: "Known" } })
    provider.person = { sub: "mallory", email: "known@example.com", groups: ["staff"] }
    expect(getProblem(await arrive())).toBe("email_taken")
    expect((await enter(staff("known"))).me?.user.id).toBe(person.id)
    provider.person = staff("heir", { email: "known@example.com" })
    expect(getProblem(await arrive())).toBe("email_taken")
  })

  // Catches someone who takes a colleague's address and waits in "their" account until they arrive.
  it("finds no one else's key or session in the account with their address, and members can't change addresses", async () => {
    const { links } = await box.client.people.add({ body: { email: "early@example.com", name: "Early" } })
    const early = await signIn(box.url, getToken(links.local))
    const key = await getKey(box.url, early)
    const id = (await me(early))?.user.id ?? ""
    const take = box.getClient(key).people.update({ params: { id }, body: { email: "late@example.com" } })
    await expect(take).rejects.toMatchObject({ code: "forbidden" })
    await box
      .getClient(key)
      .people.update({ params: { id }, body: { email: "early@example.com", name: "Still early" } })
    await box.client.people.update({ params: { id }, body: { email: "late@example.com" } })
    expect((await enter(staff("late"))).me?.user.id).toBe(id)
    expect(await me(early)).toBeNull()
    await expect(box.getClient(key).account.me()).rejects.toMatchObject({ code: "unauthorized" })
  })

  it("can't sign in while disabled", async () => {
    const { me: found } = await enter(staff("off"))
    await box.client.people.update({ params: { id: found?.user.id ?? "" }, body: { disabled: true } })
    expect(getProblem(await arrive())).toBe("disabled")
  })
})

// Catches a box that no one can administer any more.
it("keeps the last owner an owner, whatever the provider reports", async () => {
  await using alone = await startTestBox({ oidc: { ...oidc, issuer: provider.issuer } })
  provider.trust(alone.url)
  const { people } = await alone.client.people.list()
  const id = people[0]?.id ?? ""
  await alone.client.people.update({ params: { id }, body: { email: "last@example.com" } })
  provider.person = staff("last")
  const at = await createTestBrowser().visit(`${alone.url}/api/public/sign-in/provider`)
  expect(getToken(at)).not.toContain("none")
  expect((await alone.client.people.list()).people).toMatchObject([{ id, role: "owner" }])
  provider.trust(box.url)
})

describe("a callback", () => {
  // Catches a victim who is signed in as the attacker, or an attacker who can use a callback sent to a victim's browser.
  it("works once, and only in the browser that started the sign-in", async () => {
    provider.person = staff("once")
    const browser = createTestBrowser()
    const callback = await browser.visit(startUrl(), isCallback)
    expect(getProblem(await createTestBrowser().visit(callback))).toBe("not_begun")
    const other = createTestBrowser()
    await other.visit(startUrl(), isCallback) // has the cookie of its own sign-in
    expect(getProblem(await other.visit(callback))).toBe("not_begun")
    expect(getToken(await browser.visit(callback))).not.toContain("none")
    expect(getProblem(await browser.visit(callback))).toBe("not_begun")
  })

  it("with another state or none signs no one in", async () => {
    provider.person = staff("once")
    const browser = createTestBrowser()
    const callback = new URL(await browser.visit(startUrl(), isCallback))
    callback.searchParams.set("state", "other")
    expect(getProblem(await browser.visit(callback.href))).toBe("not_begun")
    expect(
      getProblem(await createTestBrowser().visit(`${box.url}/api/public/sign-in/provider/callback`)),
    ).toBe("not_begun")
  })

  it("with another issuer's name, or a code that isn't from the provider, signs no one in", async () => {
    provider.person = staff("once")
    for (const [name, value] of [
      ["iss", "https://evil.example"],
      ["code", "made-up"],
    ] as const) {
      const browser = createTestBrowser()
      const callback = new URL(await browser.visit(startUrl(), isCallback))
      callback.searchParams.set(name, value)
      expect(getProblem(await browser.visit(callback.href))).toBe("refused")
    }
  })

  it("of a person refused by the provider reports this in our own words", async () => {
    const at = await arrive()
    expect(getProblem(at)).toBe("refused")
    expect(decodeURIComponent(at)).not.toContain("Go away")
  })

  const stranger = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey
  // Catches an ID token that isn't verified.
  it.each([
    ["another key", { claims: {}, key: stranger }],
    ["another nonce", { claims: { nonce: "another" } }],
    ["another issuer", { claims: { iss: "https://evil.example" } }],
    ["another audience", { claims: { aud: "another" } }],
    ["an end in the past", { claims: { exp: Math.floor(Date.now() / 1000) - 3600 } }],
  ])("with %s in its ID token signs no one in", async (_, forge) => {
    provider.person = staff("forged")
    provider.forge = forge
    expect(getProblem(await arrive())).toBe("refused")
    expect((await listPeople()).filter(({ email }) => email.startsWith("forged"))).toEqual([])
  })

  it("redirects only to the page, whatever host is named", async () => {
    const answer = await fetch(`${startUrl()}/callback?state=x`, { redirect: "manual" })
    expect(answer.headers.get("location")).toBe(`${box.url}/#/signin?problem=not_begun`)
    expect(answer.headers.get("cache-control")).toBe("no-store")
    expect(answer.headers.get("referrer-policy")).toBe("no-referrer")
  })
})

describe("a provider that can't be reached", () => {
  it("is reported, and works again as soon as it is back", async () => {
    await using fresh = await startTestBox({ oidc: { ...oidc, issuer: provider.issuer } })
    const go = () => createTestBrowser().visit(`${fresh.url}/api/public/sign-in/provider`)
    provider.person = staff("patient")
    provider.trust(fresh.url)
    for (const fault of ["down", "broken", "other-issuer"] as const) {
      provider.fault = fault
      await fresh.restart()
      provider.trust(fresh.url)
      expect(getProblem(await go()), fault).toBe("unreachable")
    }
    provider.fault = null
    expect(getToken(await go())).not.toContain("none")
    provider.trust(box.url)
  })

  it("during a sign-in is reported too", async () => {
    provider.person = staff("patient")
    const browser = createTestBrowser()
    const callback = await browser.visit(startUrl(), isCallback)
    provider.fault = "broken"
    expect(getProblem(await browser.visit(callback))).toBe("unreachable")
  })

  it("and never answers is reported after a timeout", async () => {
    provider.fault = "silent"
    await using fresh = await startTestBox({ oidc: { ...oidc, issuer: provider.issuer } })
    expect(getProblem(await createTestBrowser().visit(`${fresh.url}/api/public/sign-in/provider`))).toBe(
      "unreachable",
    )
  })
})

it("signing out ends the session here, then the browser's session at the provider", async () => {
  provider.person = staff("leaver")
  const browser = createTestBrowser()
  const session = await signIn(box.url, getToken(await browser.visit(startUrl())))
  const answer = await fetch(`${box.url}/api/public/session`, { method: "DELETE", headers: session })
  const { leave } = (await answer.json()) as { leave: string }
  expect(await me(session)).toBeNull()
  expect(leave.startsWith(`${provider.issuer}/session/end?`)).toBe(true)
  expect(new URL(leave).searchParams.get("post_logout_redirect_uri")).toBe(`${box.url}/`)
  expect((await browser.get(leave)).status).toBe(200) // the provider accepts the user and the return address
})

it("asks for confirmation before replacing another user's session", async () => {
  const { session } = await enter(staff("here"))
  provider.person = staff("there")
  const token = getToken(await arrive())
  expect((await exchange(box.url, token, { session })).status).toBe(409)
  const replaced = await getSession(box.url, await exchange(box.url, token, { session, replace: true }))
  expect((await me(replaced))?.user.email).toBe("there@example.com")
  expect(replaced[sessionSecretHeader]).not.toBe(session[sessionSecretHeader])
})

// Catches a code that is sent to the host named in a request, and a page behind a proxy that is treated as a foreign site.
it("sends browsers only to the public address, and accepts its page as the box's own", async () => {
  const publicUrl = "https://casella.example"
  await using open = await startTestBox({ oidc: { ...oidc, issuer: provider.issuer }, publicUrl })
  const go = (path: string, headers = {}) => fetch(open.url + path, { redirect: "manual", headers })
  const here = await go("/api/public/sign-in/provider")
  expect(here.headers.get("location")).toBe(`${publicUrl}/api/public/sign-in/provider?moved=1`)
  const there = await go("/api/public/sign-in/provider?moved=1")
  const redirect = new URL(there.headers.get("location") ?? "").searchParams.get("redirect_uri")
  expect(redirect).toBe(`${publicUrl}/api/public/sign-in/provider/callback`)
  expect(there.headers.get("set-cookie")).toMatch(/HttpOnly; Secure; SameSite=Lax/)
  expect((await go("/api/public/sign-in", { origin: publicUrl })).status).toBe(200)
  for (const origin of ["http://casella.example", `${publicUrl}.evil`])
    expect((await go("/api/public/sign-in", { origin })).status).toBe(403)
})

it("reports the available sign-in methods", async () => {
  const ask = async (url: string) => (await fetch(`${url}/api/public/sign-in`)).json()
  expect(await ask(box.url)).toEqual({ provider: { name: new URL(provider.issuer).host } })
  await using plain = await startTestBox()
  expect(await ask(plain.url)).toEqual({ provider: null })
  expect((await fetch(`${plain.url}/api/public/sign-in/provider`, { redirect: "manual" })).status).toBe(404)
})
