import { logsPath } from "../core/data-layout.ts"
import { createSupport } from "../features/support/service.ts"
import type { Accounts } from "./accounts.ts"
import type { Base } from "./compose-options.ts"

/** Number of log lines that a support report offers. */
const ticketLogLines = 100

/** Opens support reports. */
export async function openSupport(base: Base, { people, outbound, systemSenders }: Accounts) {
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
    refused: (refusal) => systemSenders.ticketRefused(refusal),
    statusChanged: (change) => systemSenders.ticketChanged(change),
  })
  // If this fails now, it is retried when someone writes the next report.
  await support
    .start()
    .catch((error: unknown) => logger.error({ err: error }, "Checking support reports failed"))
  return support
}
