import { logsPath } from "../core/data-layout.ts"
import { createSupport } from "../features/support/service.ts"
import type { Accounts } from "./accounts.ts"
import type { Base } from "./compose-options.ts"

/** Lines of the box's log that a report to support offers. */
const ticketLogLines = 100

/** The way to support, at work. */
export async function openSupport(base: Base, { people, outbound, ownSenders }: Accounts) {
  const { config, database, dataDir, secrets, version, logger, push } = base
  const support = createSupport({
    db: database.db,
    secrets,
    outbound,
    authUrl: config.authUrl,
    version,
    logger,
    async lastLogLines(userId) {
      if (!(await people.isOwner(userId))) return []
      const { readLog } = await import("../features/logs/read-log.ts")
      return readLog(logsPath(dataDir), "info", ticketLogLines)
    },
    changed: (userId) => push([userId], { type: "support" }),
    refused: ownSenders.ticketRefused,
    statusChanged: ownSenders.ticketChanged,
  })
  // What couldn't be looked at now is when somebody writes the next report.
  await support.start().catch((error: unknown) => logger.error({ err: error }, "Reports weren't looked at"))
  return support
}
