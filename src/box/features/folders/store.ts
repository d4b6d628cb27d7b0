import type { Selectable } from "kysely"
import type { Folder, FolderEntry } from "../../../shared/contract/folders.ts"
import type { Database } from "../../core/database.ts"
import type { DatabaseSchema } from "../../core/database-schema.ts"

export type FolderRow = Selectable<DatabaseSchema["folders"]>

export interface FileCounts {
  fileCount: number
  pendingCount: number
  failedCount: number
}

/** Rows of the `folders` table. */
export function createFolderStore(db: Database) {
  const visibleTo = (userId: string, colleagues: readonly string[]) =>
    db
      .selectFrom("folders")
      .where((e) =>
        e.or([
          e("ownerId", "=", userId),
          e("visibility", "=", "PUBLIC"),
          e.and([e("visibility", "=", "TEAM"), e("ownerId", "in", [...colleagues])]),
        ]),
      )

  return {
    visible: (userId: string, colleagues: readonly string[]): Promise<FolderRow[]> =>
      visibleTo(userId, colleagues)
        .where("chatId", "is", null)
        .selectAll()
        .orderBy("createdAt")
        .orderBy("id")
        .execute(),

    /** Without those of chats. */
    async countOwned(ownerId: string): Promise<number> {
      const { owned } = await db
        .selectFrom("folders")
        .select((e) => e.fn.countAll<number>().as("owned"))
        .where("ownerId", "=", ownerId)
        .where("chatId", "is", null)
        .executeTakeFirstOrThrow()
      return owned
    },

    find: (id: string): Promise<FolderRow | undefined> =>
      db.selectFrom("folders").selectAll().where("id", "=", id).executeTakeFirst(),

    ofChat: (ownerId: string, chatId: string): Promise<FolderRow | undefined> =>
      db
        .selectFrom("folders")
        .selectAll()
        .where("ownerId", "=", ownerId)
        .where("chatId", "=", chatId)
        .executeTakeFirst(),

    /** Folders of chats that don't exist, made before the given time. */
    withoutChat: (before: string): Promise<FolderRow[]> =>
      db
        .selectFrom("folders")
        .selectAll("folders")
        .leftJoin("conversations", (join) =>
          join
            .onRef("conversations.ownerId", "=", "folders.ownerId")
            .onRef("conversations.id", "=", "folders.chatId"),
        )
        .where("folders.chatId", "is not", null)
        .where("conversations.id", "is", null)
        .where("folders.createdAt", "<", before)
        .execute(),

    all: (): Promise<FolderRow[]> => db.selectFrom("folders").selectAll().orderBy("id").execute(),

    async insert(row: FolderRow): Promise<void> {
      await db.insertInto("folders").values(row).execute()
    },

    async update(id: string, change: Partial<FolderRow>): Promise<void> {
      await db.updateTable("folders").set(change).where("id", "=", id).execute()
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
export function presentFolder(row: FolderRow, userId: string, counts?: FileCounts, available = true): Folder {
  return {
    ...presentEntry(row, userId, counts),
    topK: row.topK,
    filter: row.filter,
    strategy: row.strategy,
    pipeline: row.pipeline,
    watched: row.managed === 0,
    paused: row.paused === 1 || !available,
    available,
  }
}
