import { afterAll, beforeAll, expect, it } from "vitest"
import { createClient, type Client } from "../../../../shared/client/http-client.ts"
import { databaseAdoption } from "../../../compose/adopt-database.ts"
import { signIn } from "../../../testing/clients.ts"
import { getRows, startTestBox, type TestBox } from "../../../testing/test-box.ts"
import { createBoxValues } from "../../../core/database/box-values.ts"
import { heldOwnerIds } from "../held-accounts.ts"
import { admit } from "./provider-sign-in.ts"
import {
  createTestBrowser,
  clientId,
  clientSecret,
  startTestProvider,
  type TestProvider,
} from "./testing/test-provider.ts"

let provider: TestProvider
let box: TestBox
let inApp: Client
const oidc = () => ({
  issuer: provider.issuer,
  clientId,
  clientSecret,
  groups: ["staff"],
  ownerGroups: [] as string[],
  groupsClaim: "groups",
})
const account = (sub: string) => ({
  sub,
  email: `${sub}@example.com`,
  email_verified: true,
  name: sub,
  groups: ["staff"],
})

beforeAll(async () => {
  provider = await startTestProvider()
  box = await startTestBox({ oidc: oidc() })
  provider.trust(box.url)
  const owners = ["grace", "mallory", "eve", "lin"]
  for (const sub of ["ada", ...owners]) await enter(sub)
  const owner = (await people()).find(({ role }) => role === "owner")
  await box.client.people.update({ params: { id: owner?.id ?? "" }, body: { email: "root@example.com" } })
  for (const sub of owners)
    await box.client.people.update({ params: { id: await getId(sub) }, body: { role: "owner" } })
  await box.restart({}, restore)
  provider.trust(box.url)
  inApp = createClient({ baseUrl: box.url, headers: await signIn(box.url, await box.box.signInToken()) })
})
afterAll(async () => {
  await box[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
})

async function restore(): Promise<void> {
  await using database = await getRows(box.dataDir)
  expect(await databaseAdoption.adoptBackup(database, box.dataDir, box.dataDir)).not.toBeNull()
}
const people = async () => (await box.client.people.list()).people
const getId = async (sub: string) =>
  (await people()).find(({ email }) => email === `${sub}@example.com`)?.id ?? `no ${sub}`
/** Returns the id of the user whom the provider signs in, or the reason why it signs in no one. */
async function enter(sub: string): Promise<string> {
  provider.person = account(sub)
  const address = await createTestBrowser().visit(`${box.url}/api/public/sign-in/provider`)
  const parameters = new URLSearchParams(new URL(address).hash.split("?")[1])
  const problem = parameters.get("problem")
  if (problem !== null) return problem
  const headers = await signIn(box.url, parameters.get("token") ?? "")
  return (await createClient({ baseUrl: box.url, headers }).account.me()).user.id
}
const find = async (sub: string) => {
  const id = await getId(sub)
  const item = (await inApp.storage.held()).items.find((one) => one.kind === "owner" && one.id === id)
  if (!item) throw new Error(`${sub} isn't held.`)
  return item
}
const decide = async (sub: string, decision: "turn_on" | "keep_off") => {
  await inApp.storage.decideHeld({ body: { ...(await find(sub)), decision } })
}

it("a member signs in as the same person after a restore", async () => {
  expect(await enter("ada")).toBe(await getId("ada"))
})

// Catches the author of an altered backup who signs in as its owner with another account or address.
it("no account can sign in as an owner of the backup, by link or by address, until an owner confirms it", async () => {
  expect(await enter("mallory")).toBe("held")
  expect(await enter("root")).toBe("held")
  expect((await find("mallory")).does).toBe(`mallory@example.com\n${provider.issuer} mallory`)
  expect(await enter("grace")).toBe("held")
  await decide("grace", "turn_on")
  expect(await enter("grace")).toBe(await getId("grace"))
  expect(await enter("mallory")).toBe("held")
})

it("an owner who is rejected becomes a member without a provider account", async () => {
  const id = await getId("eve")
  await decide("eve", "keep_off")
  expect((await people()).find((person) => person.id === id)?.role).toBe("member")
  await using database = await getRows(box.dataDir)
  const accounts = database.db.selectFrom("providerAccounts").select("subject").where("userId", "=", id)
  expect(await accounts.execute()).toEqual([])
})

it("a provider that determines the owners signs them in", async () => {
  await using database = await getRows(box.dataDir)
  const { email, name } = account("lin")
  const claims = { issuer: provider.issuer, subject: "lin", email, emailVerified: true, name, idToken: "" }
  const held = await heldOwnerIds(createBoxValues(database.db))
  const enterWith = (groups: string[]) =>
    admit(database.db, { ...claims, groups }, { groups: null, ownerGroups: ["heads"] }, held)
  expect(await enterWith([])).toEqual({ problem: "held" })
  expect(await enterWith(["heads"])).toMatchObject({ userId: await getId("lin") })
})
