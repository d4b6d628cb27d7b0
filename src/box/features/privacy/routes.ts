import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import type { api } from "../../../shared/contract/api.ts"
import type { Egress, ChildWalls } from "../../../shared/contract/privacy.ts"
import { csvLine, csvMark } from "../../../shared/words/csv.ts"
import type { Logger } from "../../core/logging/logger.ts"
import type { Caller } from "../../http/caller.ts"
import type { Handlers } from "../../http/serve.ts"
import type { EgressLog } from "./egress-log.ts"

const columns: Record<string, (egress: Egress) => string | number | null> = {
  startedAt: (egress) => egress.startedAt,
  durationMs: (egress) => egress.durationMs,
  purpose: (egress) => egress.purpose,
  host: (egress) => egress.host,
  outcome: (egress) => egress.outcome,
  bytesSent: (egress) => egress.bytesSent,
  bytesReceived: (egress) => egress.bytesReceived,
  user: (egress) => egress.user?.name ?? null,
  chat: (egress) => egress.chat?.name ?? null,
  assistant: (egress) => egress.assistant?.name ?? null,
  tool: (egress) => egress.tool,
}

/** Connections as CSV, in pieces. */
async function* egressCsv(pieces: AsyncIterable<Egress[]>): AsyncGenerator<string> {
  yield `${csvMark}${csvLine(Object.keys(columns))}\r\n`
  for await (const piece of pieces) yield piece.map(line).join("")
}

const line = (egress: Egress) => `${csvLine(Object.values(columns).map((read) => read(egress)))}\r\n`

/**
 * @param walls the sandboxes of the server's child processes
 */
export function privacyHandlers(
  log: EgressLog,
  logger: Logger,
  walls: () => ChildWalls[],
): Handlers<typeof api.privacy> {
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
