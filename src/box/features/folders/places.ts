import type { Selectable } from "kysely"
import { actualPath } from "../../core/data-layout.ts"
import { ownTables, type AnyTransaction, type DbOf } from "../../core/database/database.ts"
import { newId } from "../../core/ids.ts"
import type { TablesOf } from "../../core/database/table-owners.ts"

/** Folder locations, regardless of owner, for background work on their files. */
export function createStoredFolders(db: DbOf<"folders">, dataDir: string) {
  const columns = [
    "id",
    "ownerId",
    "path",
    "managed",
    "pipeline",
    "paused",
    "heldPath",
    "device",
    "inode",
  ] as const
  type Row = Pick<Selectable<TablesOf<"folders">["folders"]>, (typeof columns)[number]>
  const toStoredFolder = ({
    id,
    ownerId,
    path,
    managed,
    pipeline,
    paused,
    heldPath,
    device,
    inode,
  }: Row) => ({
    id,
    ownerId,
    path: actualPath(dataDir, path),
    managed: managed === 1,
    pipeline,
    paused: paused === 1 || heldPath !== null,
    directory: device === null ? null : { device, inode },
  })
  const places = () => db.selectFrom("folders").select(columns)

  return {
    all: async () => (await places().execute()).map(toStoredFolder),

    active: async () =>
      (await places().where("paused", "=", 0).where("heldPath", "is", null).execute()).map(toStoredFolder),

    async find(folderId: string) {
      const row = await places().where("id", "=", folderId).executeTakeFirst()
      return row && toStoredFolder(row)
    },

    async makeHidden(transaction: AnyTransaction, folderId: string): Promise<string> {
      const folders = ownTables<"folders">(transaction)
      const row = await folders
        .selectFrom("folders")
        .selectAll()
        .where("id", "=", folderId)
        .executeTakeFirstOrThrow()
      const hidden = { ...row, id: newId(), managed: 0, removed: 1, paused: 1, chatId: null }
      await folders.insertInto("folders").values(hidden).execute()
      return hidden.id
    },

    async removeHidden(transaction: AnyTransaction, hiddenId: string): Promise<void> {
      const removal = ownTables<"folders">(transaction).deleteFrom("folders")
      await removal.where("id", "=", hiddenId).where("removed", "=", 1).execute()
    },

    async setDirectory(folderId: string, directory: { device: string; inode: string }): Promise<void> {
      await db.updateTable("folders").set(directory).where("id", "=", folderId).execute()
    },
  }
}
