import type { Plugin } from "vite"
import { toRoutes } from "../src/shared/client/routes.ts"
import { api } from "../src/shared/contract/api.ts"

/** Excludes endpoints that only other programs use. */
const { mcpServer: _mcpServer, operation: _operation, ...called } = api

/** Provides `virtual:endpoints`: the endpoints that the page calls, without the schemas that the box uses for validation. */
export function endpoints(): Plugin {
  const id = "\0virtual:endpoints"
  return {
    name: "endpoints",
    resolveId: (source) => (source === "virtual:endpoints" ? id : undefined),
    load: (wanted) =>
      wanted === id ? `export const endpoints = ${JSON.stringify(toRoutes(called))}` : undefined,
  }
}
