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
