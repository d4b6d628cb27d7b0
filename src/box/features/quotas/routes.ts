import type { api } from "../../../shared/contract/api.ts"
import type { Handlers } from "../../http/serve.ts"
import type { QuotaService } from "./service.ts"

export function quotaHandlers(quotas: QuotaService): Handlers<typeof api.quotas> {
  return {
    list: () => quotas.list(),
    setDefault: async ({ body }) => ({ limits: await quotas.set("everybody", "", body) }),
    setPerson: async ({ params, body }) => ({ limits: await quotas.set("person", params.id, body) }),
    setWorkspace: async ({ params, body }) => ({ limits: await quotas.set("workspace", params.id, body) }),
    own: ({ caller }) => quotas.own(caller.userId),
  }
}
