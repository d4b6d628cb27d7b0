import { lstat } from "node:fs/promises"
import { join } from "node:path"
import SqliteDatabase from "better-sqlite3"
import { sql } from "kysely"
import { managedFoldersPath } from "../core/data-layout.ts"
import { createBoxValues } from "../core/database/box-values.ts"
import type { DatabaseSchema } from "../core/database/database-schema.ts"
import { ownTables, type Database } from "../core/database/database.ts"
import {
  correctEnumeratedColumns,
  removeUnsafeNumbers,
  isForeignId,
  removeForeignIds,
} from "../core/database/enumerated-columns.ts"
import { restoreIdKey } from "../core/held-items.ts"
import { newId } from "../core/ids.ts"
import { protectObjects } from "../core/objects/object-rows.ts"
import { holdKeys, holdOwners, requireOwner } from "../features/accounts/held-accounts.ts"
import { endSessions } from "../features/accounts/sessions.ts"
import { restrictAssistants } from "../features/assistants/restrict-restored.ts"
import { denyRestoredApprovals, cutCircles } from "../features/chat/restored-chats.ts"
import { endDeletions } from "../features/deletions/store.ts"
import { forgetArrivals, endFileChanges, adoptFiles, correctFiles } from "../features/files/adopt-files.ts"
import { stopRefreshing } from "../features/files/file-entry.ts"
import { endFilings } from "../features/filing/store.ts"
import { adoptFolders, holdFolders, removeHiddenFolders } from "../features/folders/adopt-folders.ts"
import { unlinkServers } from "../features/integrations/held-servers.ts"
import { forgetForeignModels } from "../features/models/forget-foreign-models.ts"
import { holdModelServers } from "../features/models/servers/server-store.ts"
import { removePictures } from "../features/notifications/remove-pictures.ts"
import { stopQueues } from "../features/queue/store.ts"
import { clampQuotas } from "../features/quotas/store.ts"
import { holdSettings } from "../features/settings/held-settings.ts"
import { networkAccessKey } from "../features/settings/settings.ts"
import { planKey } from "../features/storage/plan/plan-store.ts"
import type { AbsentFiles, DatabaseAdoption, UnpackedCounts } from "../features/storage/unpack-backup.ts"
import { stopReports } from "../features/support/ticket-store.ts"

const rowsAtOnce = 500

/** Looks for the uploaded files listed in a database, and returns the folders with missing files. */
async function absentFiles(database: string, directory: string): Promise<AbsentFiles[]> {
  const sqlite = new SqliteDatabase(database, { readonly: true })
  try {
    const folders = sqlite.prepare("SELECT id, name FROM folders WHERE managed = 1").all()
    const found: AbsentFiles[] = []
    for (const { id, name } of folders as { id: string; name: string }[]) {
      const folder: AbsentFiles = { folder: name, absent: [], present: 0 }
      for (const paths of listFiles(sqlite, id)) {
        const areThere = await Promise.all(
          paths.map((path) => isFile(join(managedFoldersPath(directory), id, path))),
        )
        for (const [index, path] of paths.entries())
          if (areThere[index]) folder.present++
          else folder.absent.push(join("folders", id, path))
      }
      if (folder.absent.length > 0) found.push(folder)
    }
    return found
  } finally {
    sqlite.close()
  }
}

function* listFiles(sqlite: SqliteDatabase.Database, folderId: string): Generator<string[]> {
  const next = sqlite.prepare(
    "SELECT id, subFolder, name FROM files WHERE folderId = ? AND object IS NULL AND id > ? ORDER BY id LIMIT ?",
  )
  let last = ""
  for (;;) {
    const rows = next.all(folderId, last, rowsAtOnce) as { id: string; subFolder: string; name: string }[]
    yield rows.map(({ subFolder, name }) => join(subFolder, name))
    const end = rows.at(-1)
    if (rows.length < rowsAtOnce || !end) return
    last = end.id
  }
}

const isFile = (path: string): Promise<boolean> =>
  lstat(path).then(
    (found) => found.isFile(),
    () => false,
  )

/**
 * Settings that the owner made for the previous location: here, the networks may have other users, and the planned backup directory may
 * belong to someone else.
 */
const locationKeys = [networkAccessKey, planKey]

/** Each feature's changes to its own rows in a database that comes from a backup or another data directory. */
export const databaseAdoption: DatabaseAdoption = {
  adoptLocation: ({ db }, dataDir) =>
    db.transaction().execute(async (trx) => {
      await createBoxValues(ownTables<"core">(trx)).remove(...locationKeys)
      const folders = await adoptFolders(ownTables<"folders">(trx), dataDir)
      for (const folder of folders ?? []) await adoptFiles(ownTables<"files">(trx), folder)
      return folders !== null
    }),

  async adoptBackup(database, staging, dataDir) {
    const { db } = database
    if (await hasForeignIds(db)) return null
    await removeUnsafeNumbers(db)
    await removeForeignIds(db)
    await correctEnumeratedColumns(db)
    await clampQuotas(db)
    if (!(await correctFiles(db))) return null
    const values = createBoxValues(db)
    await values.write([{ key: restoreIdKey, value: newId() }])
    await holdSettings(values)
    await holdFolders(db)
    if (!(await databaseAdoption.adoptLocation(database, staging))) return null
    const { forgetSecretRows } = await import("../core/secret-rows.ts")
    await forgetSecretRows(values) // like the secrets in a file, which no backup contains
    await unlinkServers(db, values)
    await holdModelServers(db)
    await endSessions(db)
    await holdKeys(db)
    await holdOwners(db, values)
    await forgetForeignModels(values, staging, dataDir)
    const { forgetUnfinishedTurns } = await import("../features/chat/turn/resuming/unfinished-turns.ts")
    await forgetUnfinishedTurns(db)
    await denyRestoredApprovals(db)
    await cutCircles(db)
    await stopQueues(db)
    const { holdAutomations } = await import("../features/automations/rest-automations.ts")
    await holdAutomations(db)
    await restrictAssistants(db)
    await removePictures(db)
    await stopReports(db)
    await removeHiddenFolders(db, await endFileChanges(db, await endFilings(db)))
    await protectObjects(db)
    await forgetArrivals(db)
    await stopRefreshing(db)
    await endDeletions(db)
    const counts = await countShown(db)
    if (counts.people === 0) return null
    await requireOwner(db)
    return counts
  },

  absentFiles,
}

/** IDs that Casella generates. Some become file names, and all of them must be valid in API responses. */
const ownIds = {
  users: "id",
  workspaces: "id",
  apiKeys: "id",
  modelServers: "id",
  assistants: "id",
  memories: "id",
  projects: "id",
  folders: "id",
  files: "id",
  unfinishedChanges: "fileId",
  returningFiles: "fileId",
  trashedFiles: "id",
  passages: "id",
  chatFiles: "id",
  chatImports: "id",
  automations: "id",
  automationRuns: "id",
  questions: "id",
  filings: "id",
  notifications: "id",
  supportTickets: "id",
} as const satisfies Partial<{ [Table in keyof DatabaseSchema]: keyof DatabaseSchema[Table] }>

async function hasForeignIds(db: Database): Promise<boolean> {
  for (const [table, column] of Object.entries(ownIds)) {
    const foreign = sql`SELECT 1 FROM ${sql.table(table)} WHERE ${isForeignId(db, column)} LIMIT 1`
    if ((await foreign.execute(db)).rows.length > 0) return true
  }
  return false
}

/** Excludes items that were deleted and are about to be removed. */
async function countShown(db: Database): Promise<UnpackedCounts> {
  const folders = db.selectFrom("folders").where("removed", "=", 0)
  const files = db.selectFrom("files").where("folderId", "in", folders.select("id"))
  const chats = db.selectFrom("conversations").where("removed", "=", 0)
  return db
    .selectNoFrom((e) => {
      const count = e.fn.countAll<number>().as("count")
      return [
        db.selectFrom("users").select(count).$asScalar().$notNull().as("people"),
        folders.select(count).$asScalar().$notNull().as("folders"),
        files.select(count).$asScalar().$notNull().as("files"),
        chats.select(count).$asScalar().$notNull().as("chats"),
      ]
    })
    .executeTakeFirstOrThrow()
}
