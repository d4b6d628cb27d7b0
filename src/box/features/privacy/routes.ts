import { pipeline } from "node:stream/promises"
import { Readable } from "node:stream"
import type { api } from "../../../shared/contract/api.ts"
import type { ChildWalls } from "../../../shared/contract/privacy.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import type { Logger } from "../../core/logger.ts"
import type { Handlers } from "../../http/serve.ts"
import { egressCsv } from "./egress-csv.ts"
import type { EgressLog } from "./egress-log.ts"

export interface PrivacyRoutesDeps {
  log: EgressLog
  isOwner(userId: string): Promise<boolean>
  logger: Logger
  /** Which walls stand around the box's children. */
  walls(): ChildWalls[]
}

export function privacyHandlers({
  log,
  isOwner,
  logger,
  walls,
}: PrivacyRoutesDeps): Handlers<typeof api.privacy> {
  const readerOf = async (userId: string) => ({ userId, everyones: await isOwner(userId) })
  return {
    async list({ caller, query: { limit, offset, ...filter } }) {
      return log.list(await readerOf(caller.userId), filter, { limit, offset })
    },
    async csv({ caller, query, response }) {
      const rows = log.all(await readerOf(caller.userId), query)
      response.setHeader("content-disposition", 'attachment; filename="casella-connections.csv"')
      response.type("text/csv")
      await pipeline(Readable.from(egressCsv(rows)), response).catch((error: unknown) => {
        // Clients that go away in the middle are nothing unusual.
        if ((error as NodeJS.ErrnoException).code !== "ERR_STREAM_PREMATURE_CLOSE") throw error
      })
    },
    async clear({ caller }) {
      if (!(await isOwner(caller.userId)))
        throw new AppError("forbidden", "Only an owner of the workspace may clear this list.")
      const removed = await log.clear()
      logger.info({ userId: caller.userId, removed }, "The list of what left the machine was cleared")
      return { removed }
    },
    async walls({ caller }) {
      if (!(await isOwner(caller.userId)))
        throw new AppError("forbidden", "Only an owner of the workspace may see this.")
      return { children: walls() }
    },
  }
}
