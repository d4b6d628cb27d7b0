import { join } from "node:path"
import { databaseFile, uploadsPath } from "../core/data-layout.ts"
import type { DbOf } from "../core/database/database.ts"
import { createDatabaseChecker } from "../core/database/sqlite/integrity/check-database.ts"
import { onDemand } from "../core/lazy.ts"
import { createBackups } from "../features/storage/backups.ts"
import { createDatabaseWatch, createSpaceReclaimer } from "../features/storage/database-upkeep.ts"
import { startPlannedBackups, createStorage } from "../features/storage/service.ts"
import type { DatabaseAdoption } from "../features/storage/unpack-backup.ts"
import type { Accounts } from "./accounts.ts"
import type { Base } from "./compose-options.ts"

/** Whether any user has written a report. */
async function hasReports(db: DbOf<"support">): Promise<boolean> {
  return (await db.selectFrom("supportTickets").select("id").limit(1).executeTakeFirst()) !== undefined
}

export type Maintenance = ReturnType<typeof composeMaintenance>

/** Loaded by the first backup or restore. */
const loadAdoption = async () => (await import("./adopt-database.ts")).databaseAdoption
const adoption: DatabaseAdoption = {
  adoptLocation: async (...args) => (await loadAdoption()).adoptLocation(...args),
  adoptBackup: async (...args) => (await loadAdoption()).adoptBackup(...args),
  absentFiles: async (...args) => (await loadAdoption()).absentFiles(...args),
}

/** Maintenance of stored data, and support reports. */
export function composeMaintenance(base: Base, accounts: Accounts) {
  const { config, database, file, logger, spawn, dataDir, dataDirectoryId, stack } = base
  const { values, systemSenders } = accounts
  const { db } = database
  const checker = stack.use(createDatabaseChecker(spawn))
  const databaseWatch = stack.use(
    createDatabaseWatch(
      (signal) => checker.findFaults(join(dataDir, databaseFile), signal),
      (tables) => systemSenders.databaseDamaged(tables),
      logger,
    ),
  )
  const backups = stack.use(
    createBackups({
      dataDir,
      copyDatabase: database.copyTo,
      checker,
      adoption,
      logger,
      stopping: base.stopping,
    }),
  )
  /** Its code is loaded if a backup is planned or being planned. */
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
              adoption,
              target,
              requireTarget,
              signal,
            })
          },
          failed: (why) => systemSenders.backupFailed(why),
          logger,
        })
      },
      async (made) => made[Symbol.asyncDispose](),
    ),
  )
  const startPlanned = () => startPlannedBackups(values, dataDirectoryId, planned)
  const spaceReclaimer = file && stack.use(createSpaceReclaimer({ dataDir, database: file, logger }))
  const storage = createStorage({
    dataDir: config.dataDir,
    backups,
    checker,
    adoption,
    health: databaseWatch.health,
    isOnServer: file === null,
  })
  /** Loaded if someone wrote a report, or looks at their reports. */
  const support = stack.use(
    onDemand(
      async () => (await import("./open-support.ts")).openSupport(base, accounts),
      async (made) => made[Symbol.asyncDispose](),
    ),
  )
  const startSupport = async () => {
    if (await hasReports(db)) await support.get()
  }
  /** Retries held reports when local-only changes. */
  const wakeHeldReports = async () => {
    if (await hasReports(db)) await (await support.get()).wakeBlocked()
  }
  return {
    databaseWatch,
    backups,
    planned,
    startPlanned,
    spaceReclaimer,
    storage,
    support,
    startSupport,
    wakeHeldReports,
  }
}
