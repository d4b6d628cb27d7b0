import type { Selectable } from "kysely"
import type { Folder, FolderEntry } from "../../../shared/contract/folders.ts"
import { actualPath, storedPath } from "../../core/data-layout.ts"
import type { Database } from "../../core/database/database.ts"
import type { DatabaseSchema } from "../../core/database/database-schema.ts"

/** Its `path` is absolute. */
export type FolderRow = Selectable<DatabaseSchema["folders"]>

export interface FileCounts {
  fileCount: number
  pendingCount: number
  failedCount: number
}

/** Rows of the `folders` table. */
export function createFolderStore(db: Database, dataDir: string) {
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

  async function update(id: string, change: Partial<FolderRow>, writer: Database = db): Promise<void> {
    await writer.updateTable("folders").set(change).where("id", "=", id).execute()
  }

  return {
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

    /** Folders of chats that don't exist, of one person or all, and when their newest file came, if any; oldest first. */
    async unbegun(ownerId?: string): Promise<{ row: FolderRow; newestFile: string | null }[]> {
      let query = db
        .selectFrom("folders")
        .leftJoin("conversations", (join) =>
          join
            .onRef("conversations.ownerId", "=", "folders.ownerId")
            .onRef("conversations.id", "=", "folders.chatId"),
        )
        .where("folders.chatId", "is not", null)
        .where("conversations.id", "is", null)
      if (ownerId !== undefined) query = query.where("folders.ownerId", "=", ownerId)
      const rows = await query
        .selectAll("folders")
        .select((e) =>
          e
            .selectFrom("files")
            .select(({ fn }) => fn.max("files.createdAt").as("newest"))
            .whereRef("files.folderId", "=", "folders.id")
            .as("newestFile"),
        )
        .orderBy("folders.createdAt")
        .execute()
      return rows.map(({ newestFile, ...row }) => ({ row: located(row), newestFile }))
    },

    async insert(row: FolderRow): Promise<void> {
      await db
        .insertInto("folders")
        .values({ ...row, path: storedPath(dataDir, row.path) })
        .execute()
    },

    update,

    /** From then on nobody is shown the folder, and nothing works on it. */
    hide: (id: string, writer: Database): Promise<void> =>
      update(id, { removed: 1, paused: 1, chatId: null }, writer),

    async hidden(): Promise<string[]> {
      const rows = await db.selectFrom("folders").select("id").where("removed", "=", 1).execute()
      return rows.map(({ id }) => id)
    },

    async remove(id: string): Promise<void> {
      await db.deleteFrom("folders").where("id", "=", id).execute()
    },

    /** How many files the folders have, and in which state. */
    async counts(folderIds: readonly string[]): Promise<Map<string, FileCounts>> {
      const counts = new Map<string, FileCounts>()
      if (folderIds.length === 0) return counts
      const rows = await db
        .selectFrom("files")
        .select((e) => ["folderId", "status", e.fn.countAll<number>().as("count")])
        .where("folderId", "in", [...folderIds])
        .groupBy(["folderId", "status"])
        .execute()
      for (const { folderId, status, count } of rows) {
        const sum = counts.get(folderId) ?? noFiles()
        sum.fileCount += count
        if (status === "queued" || status === "processing") sum.pendingCount += count
        if (status === "failed") sum.failedCount += count
        counts.set(folderId, sum)
      }
      return counts
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
