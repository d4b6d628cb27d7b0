import { join } from "node:path"
import { databaseFile, logsPath, uploadsPath } from "../core/data-layout.ts"
import { databaseAdoption } from "./adopt-database.ts"
import { onDemand } from "../core/on-demand.ts"
import { createDatabaseChecker } from "../core/database/sqlite/integrity/check-database.ts"
import { createBackups } from "../features/storage/backups.ts"
import { createDatabaseWatch } from "../features/storage/database-watch.ts"
import { beginPlanned } from "../features/storage/plan/begin-planned.ts"
import { createStorage } from "../features/storage/service.ts"
import { createSpaceKeeper } from "../features/storage/space-keeper.ts"
import { createSupport } from "../features/support/service.ts"
import type { Accounts } from "./accounts.ts"
import type { Base } from "./compose-options.ts"

/** Lines of the box's log that a report to support offers. */
const ticketLogLines = 100

export type Upkeep = ReturnType<typeof composeUpkeep>

/** Care of what is stored, and the way to support. */
export function composeUpkeep(base: Base, accounts: Accounts) {
  const { config, database, file, push, logger, spawn, version, secrets, dataDir, dataDirectoryId, stack } =
    base
  const { people, values, outbound, ownSenders } = accounts
  const { db } = database
  const checker = stack.use(createDatabaseChecker(spawn))
  const databaseWatch = stack.use(
    createDatabaseWatch({
      findFaults: (signal) => checker.findFaults(join(dataDir, databaseFile), signal),
      damaged: ownSenders.databaseDamaged,
      logger,
    }),
  )
  const backups = stack.use(
    createBackups({ dataDir, copyDatabase: database.copyTo, checker, adoption: databaseAdoption, logger }),
  )
  /** What it does is loaded where something is planned, or is to be. */
  const planned = stack.use(
    onDemand(
      async () => {
        const { createPlannedBackups } = await import("../features/storage/plan/planned-backups.ts")
        return createPlannedBackups({
          values,
          dataDirectoryId,
          async write(target, signal, requireTarget) {
            const { writeBackup } = await import("../features/storage/write-backup.ts")
            await writeBackup({
              dataDir,
              stagingRoot: uploadsPath(dataDir),
              copyDatabase: database.copyTo,
              checker,
              adoption: databaseAdoption,
              target,
              requireTarget,
              signal,
            })
          },
          failed: ownSenders.backupFailed,
          logger,
        })
      },
      async (made) => made[Symbol.asyncDispose](),
    ),
  )
  const startPlanned = () => beginPlanned(values, dataDirectoryId, planned)
  const spaceKeeper = file && stack.use(createSpaceKeeper({ dataDir, database: file, logger }))
  const storage = createStorage({
    dataDir: config.dataDir,
    backups,
    checker,
    adoption: databaseAdoption,
    health: databaseWatch.health,
    isOnServer: file === null,
  })
  const support = stack.use(
    createSupport({
      db,
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
    }),
  )
  return { databaseWatch, backups, planned, startPlanned, spaceKeeper, storage, support }
}
