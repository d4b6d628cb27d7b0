import type { api } from "../../../shared/contract/api.ts"
import type { Handlers } from "../../http/serve.ts"
import type { AuditLog } from "./audit.ts"

export function auditHandlers(log: () => Promise<AuditLog>): Handlers<typeof api.auditLog> {
  return {
    list: async ({ query }) => (await log()).list(query),
    file: async ({ response }) => (await log()).send(response),
  }
}
