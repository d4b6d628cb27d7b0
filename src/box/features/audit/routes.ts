import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import type { api } from "../../../shared/contract/api.ts"
import type { Handlers } from "../../http/serve.ts"
import type { AuditLog } from "./audit.ts"

export function auditHandlers(log: () => Promise<AuditLog>): Handlers<typeof api.auditLog> {
  return {
    list: async ({ query }) => (await log()).list(query),
    async file({ response }) {
      response.setHeader("content-disposition", 'attachment; filename="casella-audit-log.jsonl"')
      response.type("application/x-ndjson")
      await pipeline(Readable.from((await log()).lines()), response).catch((error: unknown) => {
        // Clients that go away in the middle are nothing unusual.
        if ((error as NodeJS.ErrnoException).code !== "ERR_STREAM_PREMATURE_CLOSE") throw error
      })
    },
  }
}
