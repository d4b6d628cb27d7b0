import { expect, it } from "vitest"
import { api } from "../../shared/contract/api.ts"
import { Scope, type Contract, type Endpoint } from "../../shared/contract/endpoint.ts"
import { requireAccess } from "./caller.ts"

const mayCall = (scope: Scope, endpoint: Endpoint): boolean => {
  try {
    const caller = {
      userId: "u",
      credentialId: "k",
      via: "key",
      origin: "API",
      scopes: [scope],
      isOwner: true,
    } as const
    requireAccess(caller, endpoint)
    return true
  } catch {
    return false
  }
}

/** What makes or holds credentials, starts programs, or tells of the computer and of everyone on it. */
const privileged = ["keys", "people", "settings", "storage", "logs", "integrations", "support"] as const

// Would catch: an endpoint whose access was left out, or granted to keys that were made for something small.
it.each(privileged)("no key with scopes calls anything of %s", (feature) => {
  for (const [name, endpoint] of Object.entries<Endpoint>(api[feature])) {
    if (endpoint.access === "public") continue
    expect(
      Scope.options.filter((scope) => mayCall(scope, endpoint)),
      `${feature}.${name}`,
    ).toEqual([])
  }
})

// What it is offered by `mcpServer.call` is tested there.
it("a key for notifications sends them and asks people, and learns no more than who it is, whether a model is there and what it asked", () => {
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
