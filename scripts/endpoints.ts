import type { Plugin } from "vite"
import { routesOf } from "../src/shared/client/routes.ts"
import { api } from "../src/shared/contract/api.ts"

/** Of other programs alone. */
const { mcpServer: _mcpServer, operation: _operation, ...called } = api

/** Makes `virtual:endpoints`: what the page calls, without the schemas that the box checks with. */
export function endpoints(): Plugin {
  const id = "\0virtual:endpoints"
  return {
    name: "endpoints",
    resolveId: (source) => (source === "virtual:endpoints" ? id : undefined),
    load: (wanted) =>
      wanted === id ? `export const endpoints = ${JSON.stringify(routesOf(called))}` : undefined,
  }
}
