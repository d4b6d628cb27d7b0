import type { Contract, Endpoint, Method } from "../contract/endpoint.ts"

/** The data about an endpoint that a call needs. */
export interface Route {
  kind: Endpoint["kind"]
  method: Method
  path: string
  /** Names of an upload's file field and of the text fields before it. */
  form?: { file: string; fields: string[] }
}

/** By feature and name, as in the contract. */
export type Routes = Record<string, Record<string, Route>>

/** Returns a contract's routes as plain data, so that a page can use them without the schemas. */
export const toRoutes = (api: Record<string, Contract>): Routes =>
  Object.fromEntries(
    Object.entries(api).map(([feature, endpoints]) => [
      feature,
      Object.fromEntries(Object.entries(endpoints).map(([name, endpoint]) => [name, toRoute(endpoint)])),
    ]),
  )

function toRoute(endpoint: Endpoint): Route {
  const { kind, method, path } = endpoint
  if (kind !== "upload") return { kind, method, path }
  const { file, fields } = endpoint.form
  return { kind, method, path, form: { file: file[0], fields: Object.keys(fields?.shape ?? {}) } }
}
