import { pipeline } from "node:stream/promises"
import { Readable } from "node:stream"
import type { api } from "../../../shared/contract/api.ts"
import type { ChildWalls } from "../../../shared/contract/privacy.ts"
import type { Logger } from "../../core/logging/logger.ts"
import type { Caller } from "../../http/caller.ts"
import type { Handlers } from "../../http/serve.ts"
import { egressCsv } from "./egress-csv.ts"
import type { EgressLog } from "./egress-log.ts"

export interface PrivacyRoutesDeps {
  log: EgressLog
  logger: Logger
  /** The sandboxes of the server's child processes. */
  walls(): ChildWalls[]
}

export function privacyHandlers({ log, logger, walls }: PrivacyRoutesDeps): Handlers<typeof api.privacy> {
  const getReader = ({ userId, isOwner }: Caller) => ({ userId, everyones: isOwner })
  return {
    async list({ caller, query: { limit, offset, ...filter } }) {
      return log.list(getReader(caller), filter, { limit, offset })
    },
    async csv({ caller, query, response }) {
      const rows = log.all(getReader(caller), query)
      response.setHeader("content-disposition", 'attachment; filename="casella-connections.csv"')
      response.type("text/csv")
      await pipeline(Readable.from(egressCsv(rows)), response).catch((error: unknown) => {
        // Clients often disconnect during a response.
        if ((error as NodeJS.ErrnoException).code !== "ERR_STREAM_PREMATURE_CLOSE") throw error
      })
    },
    async clear({ caller }) {
      const removed = await log.clear()
      logger.info({ userId: caller.userId, removed }, "The list of outgoing connections was cleared")
      return { removed }
    },
    walls: () => ({ children: walls() }),
  }
}
