import type { Selectable } from "kysely"
import type { Folder, FolderEntry } from "../../../shared/contract/folders.ts"
import { actualPath, storedPath } from "../../core/data-layout.ts"
import type { BegunTransaction, DbOf } from "../../core/database/database.ts"
import type { TablesOf } from "../../core/database/table-owners.ts"
import { createHiddenFolders } from "./hidden-folders.ts"

/** Its `path` is absolute. */
export type FolderRow = Selectable<TablesOf<"folders">["folders"]>

export interface FileCounts {
  fileCount: number
  pendingCount: number
  failedCount: number
}

/** Rows of the `folders` table. */
export function createFolderStore(db: DbOf<"folders">, dataDir: string) {
  const located = (row: FolderRow): FolderRow => ({ ...row, path: actualPath(dataDir, row.path) })
  const visibleTo = (userId: string, colleagues: readonly string[]) =>
    db
      .selectFrom("folders")
      .where("removed", "=", 0)
      .where((e) =>
        e.or([
          e("ownerId", "=", userId),
          e("visibility", "=", "PUBLIC"),
          e.and([e("visibility", "=", "TEAM"), e("ownerId", "in", [...colleagues])]),
        ]),
      )

  return {
    ...createHiddenFolders(db),

    async visible(userId: string, colleagues: readonly string[]): Promise<FolderRow[]> {
      const rows = await visibleTo(userId, colleagues)
        .where("chatId", "is", null)
        .selectAll()
        .orderBy("createdAt")
        .orderBy("id")
        .execute()
      return rows.map(located)
    },

    /** Without those of chats. */
    async countOwned(ownerId: string): Promise<number> {
      const { owned } = await db
        .selectFrom("folders")
        .select((e) => e.fn.countAll<number>().as("owned"))
        .where("ownerId", "=", ownerId)
        .where("chatId", "is", null)
        .where("removed", "=", 0)
        .executeTakeFirstOrThrow()
      return owned
    },

    async find(id: string): Promise<FolderRow | undefined> {
      const row = await db
        .selectFrom("folders")
        .selectAll()
        .where("id", "=", id)
        .where("removed", "=", 0)
        .executeTakeFirst()
      return row && located(row)
    },

    async ofChat(ownerId: string, chatId: string): Promise<FolderRow | undefined> {
      const row = await db
        .selectFrom("folders")
        .selectAll()
        .where("ownerId", "=", ownerId)
        .where("chatId", "=", chatId)
        .executeTakeFirst()
      return row && located(row)
    },

    /** Folders of chats, of one person or all, the oldest first. */
    async ofChats(ownerId?: string): Promise<FolderRow[]> {
      let query = db.selectFrom("folders").where("chatId", "is not", null)
      if (ownerId !== undefined) query = query.where("ownerId", "=", ownerId)
      return (await query.selectAll().orderBy("createdAt").execute()).map(located)
    },

    async insert(row: FolderRow): Promise<void> {
      await db
        .insertInto("folders")
        .values({ ...row, path: storedPath(dataDir, row.path) })
        .execute()
    },

    async update(id: string, change: Partial<FolderRow>): Promise<void> {
      await db.updateTable("folders").set(change).where("id", "=", id).execute()
    },

    transaction: <T>(work: (transaction: BegunTransaction) => Promise<T>): Promise<T> =>
      db.transaction().execute(work),

    async remove(id: string): Promise<void> {
      await db.deleteFrom("folders").where("id", "=", id).execute()
    },
  }
}

export type FolderStore = ReturnType<typeof createFolderStore>

const noFiles = (): FileCounts => ({ fileCount: 0, pendingCount: 0, failedCount: 0 })

/** A folder as lists show it. */
export function presentEntry(row: FolderRow, userId: string, counts: FileCounts = noFiles()): FolderEntry {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    folder: row.path,
    ...(row.iconName === null ? {} : { iconName: row.iconName }),
    ...(row.accentColor === null ? {} : { accentColor: row.accentColor }),
    createdAt: row.createdAt,
    visibility: row.visibility,
    owned: row.ownerId === userId,
    ...counts,
  }
}

/** A folder as a single read shows it. */
export function presentFolder(
  row: FolderRow,
  userId: string,
  counts: FileCounts | undefined,
  { available, missingCount }: { available: boolean; missingCount: number },
): Folder {
  return {
    ...presentEntry(row, userId, counts),
    topK: row.topK,
    filter: row.filter,
    strategy: row.strategy,
    pipeline: row.pipeline,
    watched: row.managed === 0,
    paused: row.paused === 1 || !available,
    available,
    missingCount,
  }
}
