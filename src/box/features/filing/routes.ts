import type { api } from "../../../shared/contract/api.ts"
import type { Handlers } from "../../http/serve.ts"
import type { Filings } from "./service.ts"

export function filingHandlers(load: () => Promise<Filings>): Handlers<typeof api.filing> {
  return {
    list: async ({ caller, query }) => (await load()).list(caller.userId, query.fileId, query),
    file: async ({ caller, body }) => (await load()).file(caller.userId, body, null),
    undo: async ({ caller, params }) => ({ filing: await (await load()).undo(caller.userId, params.id) }),
    history: async ({ caller, params }) => ({
      history: await (await load()).history(caller.userId, params.id, params.fileId),
    }),
  }
}
