import { ownTables, type Database } from "../core/database/database.ts"
import { absentFiles } from "../absent-files.ts"
import { cutCircles } from "../features/chat/transcript/cut-circles.ts"
import { endDeletions } from "../features/deletions/store.ts"
import { adoptFiles } from "../features/files/adopt-files.ts"
import { adoptFolders } from "../features/folders/adopt-folders.ts"
import { unlinkPrograms } from "../features/integrations/unlink-programs.ts"
import { stopQueues } from "../features/queue/store.ts"
import type { DatabaseAdoption } from "../features/storage/unpack-backup.ts"

/** What each feature does with its own rows in a database that comes from a backup or another data directory. */
export const databaseAdoption: DatabaseAdoption = {
  adoptFiles: ({ db }, dataDir) =>
    db.transaction().execute(async (trx) => {
      const folders = await adoptFolders(ownTables<"folders">(trx), dataDir)
      for (const folder of folders ?? []) await adoptFiles(ownTables<"files">(trx), folder)
      return folders !== null
    }),

  async adoptBackup(database, dataDir) {
    const { db } = database
    if (!(await databaseAdoption.adoptFiles(database, dataDir))) return null
    await unlinkPrograms(db)
    await cutCircles(db)
    await stopQueues(db)
    await endDeletions(db)
    const people = await countOf(db, "users")
    const [folders, files] = [await countOf(db, "folders"), await countOf(db, "files")]
    return people === 0 ? null : { people, folders, files, chats: await countOf(db, "conversations") }
  },

  absentFiles,
}

async function countOf(
  db: Database,
  table: "users" | "folders" | "files" | "conversations",
): Promise<number> {
  const counted = db.selectFrom(table).select((e) => e.fn.countAll<number>().as("count"))
  return (await counted.executeTakeFirstOrThrow()).count
}
