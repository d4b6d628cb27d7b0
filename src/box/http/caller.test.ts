import { expect, it } from "vitest"
import { api } from "../../shared/contract/api.ts"
import { Scope, type Contract, type Endpoint } from "../../shared/contract/endpoint.ts"
import { type Caller, requireAccess } from "./caller.ts"

const key: Caller = {
  userId: "u",
  credentialId: "k",
  via: "key",
  origin: "API",
  scopes: null,
  isOwner: true,
}

function mayCall(rights: Scope | Partial<Caller>, endpoint: Endpoint): boolean {
  try {
    requireAccess({ ...key, ...(typeof rights === "string" ? { scopes: [rights] } : rights) }, endpoint)
    return true
  } catch {
    return false
  }
}

const restricted = Object.entries<Contract>(api).flatMap(([feature, contract]) =>
  Object.entries(contract)
    .filter(([, endpoint]) => endpoint.access !== "public")
    .map(([name, endpoint]) => [`${feature}.${name}`, endpoint] as const),
)

/** Features that create or hold credentials, start programs, or expose information about the computer and all its users. */
const privileged = ["keys", "people", "settings", "storage", "logs", "integrations", "support"] as const

// Catches an endpoint without access rules, or one granted to keys with a narrow scope.
it.each(privileged)("no key with scopes can call any endpoint of %s", (feature) => {
  for (const [name, endpoint] of Object.entries<Endpoint>(api[feature])) {
    if (endpoint.access === "public") continue
    expect(
      Scope.options.filter((scope) => mayCall(scope, endpoint)),
      `${feature}.${name}`,
    ).toEqual([])
  }
})

// Tests of `mcpServer.call` cover the tools that it offers to such a key.
it("a notification key can send notifications, ask users, and read only its identity, model availability and its own questions", () => {
  const granted = Object.entries<Contract>(api).flatMap(([feature, contract]) =>
    Object.entries(contract)
      .filter(([, endpoint]) => endpoint.access !== "public" && mayCall("notify", endpoint))
      .map(([name]) => `${feature}.${name}`),
  )
  expect(granted.toSorted()).toEqual([
    "account.me",
    "mcpServer.call",
    "models.state",
    "notifications.send",
    "questions.ask",
    "questions.list",
    "questions.read",
  ])
})

it("a read-only key changes nothing", () => {
  for (const [feature, contract] of Object.entries<Contract>(api)) {
    for (const [name, endpoint] of Object.entries(contract)) {
      if (endpoint.access === "public" || !mayCall("read-only", endpoint)) continue
      const harmless = endpoint.method === "get" || endpoint.reads === true
      expect(harmless, `${feature}.${name}`).toBe(true)
    }
  }
})

// Catches a member who manages the server, and a member who is refused something that concerns only the member.
it("what concerns the whole server is the owners', everything else every member's", () => {
  const owners = restricted.filter(([, endpoint]) => endpoint.access === "owner")
  expect(owners.length).toBeGreaterThan(30)
  for (const [name, endpoint] of restricted) {
    const isOwners = endpoint.access === "owner"
    expect(mayCall({ isOwner: false }, endpoint), name).toBe(!isOwners)
    expect(mayCall({ isOwner: true }, endpoint), name).toBe(true)
    if (isOwners) expect(mayCall({ scopes: Scope.options }, endpoint), name).toBe(false)
  }
})

// Catches a key of a restored backup, whose author knows it, that changes what needs full rights before an owner has confirmed it.
it("an unconfirmed key changes nothing that needs full rights", () => {
  for (const [name, endpoint] of restricted) {
    const isReading = endpoint.method === "get" || endpoint.reads === true
    const needsFullRights = endpoint.access === "full" || endpoint.access === "owner"
    const isRefused = endpoint.needsConfirmedKey === true || (needsFullRights && !isReading)
    expect(mayCall({ isUnconfirmed: true }, endpoint), name).toBe(!isRefused)
  }
})
