import type { api } from "../../../shared/contract/api.ts"
import type { Handlers } from "../../http/serve.ts"
import type { QuotaService } from "./guard.ts"

export function quotaHandlers(open: () => Promise<QuotaService>): Handlers<typeof api.quotas> {
  return {
    list: async () => (await open()).list(),
    setDefault: async ({ body }) => ({ limits: await (await open()).set("everybody", "", body) }),
    setPerson: async ({ params, body }) => ({ limits: await (await open()).set("person", params.id, body) }),
    setWorkspace: async ({ params, body }) => ({
      limits: await (await open()).set("workspace", params.id, body),
    }),
    own: async ({ caller }) => (await open()).own(caller.userId),
  }
}
