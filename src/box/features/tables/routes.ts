import type { api } from "../../../shared/contract/api.ts"
import type { Handlers } from "../../http/serve.ts"
import type { Tables } from "./service.ts"

export function tablesHandlers(tables: Pick<Tables, "list" | "query">): Handlers<typeof api.tables> {
  return {
    list: async ({ caller, params }) => ({ tables: await tables.list(caller.userId, params.id) }),
    query: async ({ caller, params, body: { sql, limit } }) =>
      (await tables.query(caller.userId, params.id, sql, limit)).answer,
  }
}
