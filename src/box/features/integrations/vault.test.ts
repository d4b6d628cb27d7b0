import { expect, test } from "vitest"
import type { SecretStore } from "../../core/secret-store.ts"
import { createVault, noCredentials, type Credentials } from "./vault.ts"

const good = '{"kind":"http","url":"https://bank.example/mcp"}'
const evil = '{"kind":"http","url":"https://bank.example/evil"}'
const given: Credentials = {
  token: "token",
  clientId: "client",
  clientSecret: "secret",
  env: { NAME: "value" },
  oauth: { tokens: { access_token: "access", token_type: "bearer" } },
}

function openVault({ earlier }: { earlier?: Credentials } = {}) {
  const stored = new Map<string, string>()
  if (earlier) stored.set("toolServer/ann/mcp_bank", JSON.stringify(earlier))
  const secrets: SecretStore = {
    get: async (name) => stored.get(name) ?? null,
    set: async (name, value) => void stored.set(name, value),
    delete: async (name) => void stored.delete(name),
    names: async () => [...stored.keys()],
  }
  const now = { target: good as string | null, isRestored: false }
  const vault = createVault(
    secrets,
    async () => now.target,
    async () => now.isRestored,
  )
  return { vault, now, stored, read: () => vault.read("ann", "mcp_bank") }
}

// Catches a token that is sent to the address or program that an altered backup names under a server's key.
test("Credentials belong to the target for which they were entered", async () => {
  const { vault, now, read } = openVault()
  await vault.add("ann", "mcp_bank", good, given, async () => undefined)
  expect(await read()).toEqual(given)
  now.target = evil
  expect(await read()).toEqual(noCredentials)
  now.target = good
  expect(await read()).toEqual(given)
})

// Catches a change that passes on credentials of another target.
test("A change for another target starts without credentials", async () => {
  const { vault, now, read, stored } = openVault()
  await vault.add("ann", "mcp_bank", good, given, async () => undefined)
  now.target = evil
  await vault.change("ann", "mcp_bank", (all) => ({ ...all, clientId: "other" }))
  expect(await read()).toEqual({ ...noCredentials, clientId: "other" })
  expect([...stored.values()].join()).not.toContain("secret")
})

test("Credentials from earlier versions stay with their server", async () => {
  const { vault, now, read } = openVault({ earlier: given })
  expect(await read()).toEqual(given)
  await vault.sweep()
  now.isRestored = true // a backup that names the same server was restored
  expect(await read()).toEqual(given)
  now.target = evil
  expect(await read()).toEqual(noCredentials)
})

test("Credentials from earlier versions aren't used for a server of a restored backup", async () => {
  const { vault, now, read } = openVault({ earlier: given })
  Object.assign(now, { target: evil, isRestored: true })
  expect(await read()).toEqual(noCredentials)
  await vault.sweep()
  expect(await read()).toEqual(noCredentials)
})
