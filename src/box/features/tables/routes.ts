import type { api } from "../../../shared/contract/api.ts"
import { createCloseSignal } from "../../http/answers/answer-limits.ts"
import type { Handlers } from "../../http/serve.ts"
import type { Tables } from "./service.ts"

export function tablesHandlers(tables: Pick<Tables, "list" | "query">): Handlers<typeof api.tables> {
  return {
    list: ({ caller, params, request }) =>
      tables.list(caller.userId, params.id, { signal: createCloseSignal(request) }),
    query: async ({ caller, params, body: { sql, limit }, request }) =>
      (await tables.query(caller.userId, params.id, sql, { limit, signal: createCloseSignal(request) }))
        .answer,
  }
}
