import { api } from "../contract/api.ts"
import type { Contract, Endpoint } from "../contract/endpoint.ts"
import { createCalls, type Checks, type Client, type ClientOptions } from "./calls.ts"
import { toRoutes } from "./routes.ts"

export type { Client }

const contract: Record<string, Contract> = api
const routes = toRoutes(contract)

function getEndpoint(feature: string, name: string): Endpoint {
  const endpoint = contract[feature]?.[name]
  if (!endpoint) throw new Error(`The contract has no ${feature}.${name}.`)
  return endpoint
}

/** Values that don't match the contract are an error of the box. Events that don't match are types of a newer box and are skipped. */
const contractChecks: Checks = {
  answer(feature, name, value) {
    const endpoint = getEndpoint(feature, name)
    return "output" in endpoint ? endpoint.output.parse(value) : value
  },
  event(feature, name, value) {
    const endpoint = getEndpoint(feature, name)
    return "event" in endpoint && endpoint.event.safeParse(value).success
  },
}

/** Creates a typed client for the whole contract, which checks the box's responses against it. */
export const createClient = (options: ClientOptions): Client => createCalls(routes, options, contractChecks)
