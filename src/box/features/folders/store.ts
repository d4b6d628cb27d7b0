import type { Selectable } from "kysely"
import type { Folder, FolderEntry } from "../../../shared/contract/folders.ts"
import { actualPath, storedPath } from "../../core/data-layout.ts"
import type { AnyTransaction, DbOf } from "../../core/database/database.ts"
import { createPreparedQuery } from "../../core/database/kept-query.ts"
import type { TablesOf } from "../../core/database/table-owners.ts"
import { createHiddenFolders } from "./hidden-folders.ts"

/** `path` is absolute. */
export type FolderRow = Selectable<TablesOf<"folders">["folders"]>

export interface FileCounts {
  fileCount: number
  pendingCount: number
  failedCount: number
}

const entryColumns = [
  "id",
  "ownerId",
  "name",
  "description",
  "path",
  "heldPath",
  "iconName",
  "accentColor",
  "createdAt",
  "visibility",
  "remote",
] as const
/** Columns of a folder that lists need. */
type EntryRow = Pick<FolderRow, (typeof entryColumns)[number]>

const byAge = (one: EntryRow, other: EntryRow): number =>
  compare(one.createdAt, other.createdAt) || compare(one.id, other.id)
const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/** Name and access of a folder; null if it doesn't exist. */
export const folderAccess = async (db: DbOf<"folders">, id: string) =>
  (await db
    .selectFrom("folders")
    .select(["name", "visibility", "remote"])
    .where("id", "=", id)
    .where("removed", "=", 0)
    .executeTakeFirst()) ?? null

/** Rows of the `folders` table. */
export function createFolderStore(db: DbOf<"folders">, dataDir: string) {
  const located = (row: FolderRow): FolderRow => ({ ...row, path: actualPath(dataDir, row.path) })
  const entriesFor = createPreparedQuery(db, ["userId"], ({ userId }) =>
    db
      .selectFrom("folders")
      .select(entryColumns)
      .where("removed", "=", 0)
      .where("chatId", "is", null)
      .where((e) => e.or([e("ownerId", "=", userId), e("visibility", "in", ["PUBLIC", "TEAM"])])),
  )

  return {
    ...createHiddenFolders(db),

    /** List entries of the folders that the user may see, oldest first. Team folders are also visible to the owner's colleagues. */
    async visible(userId: string, colleagues: () => Promise<readonly string[]>): Promise<EntryRow[]> {
      const rows = await entriesFor({ userId })
      const isOfTeam = (row: EntryRow) => row.visibility === "TEAM" && row.ownerId !== userId
      const team = new Set(rows.some(isOfTeam) ? await colleagues() : [])
      const seen = rows.filter((row) => !isOfTeam(row) || team.has(row.ownerId))
      // Sorting in SQLite takes twice as long.
      for (const row of seen) row.path = actualPath(dataDir, row.path)
      return seen.toSorted(byAge)
    },

    /** Chats' folders aren't included. */
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

    async getFolderOfChat(ownerId: string, chatId: string): Promise<FolderRow | undefined> {
      const row = await db
        .selectFrom("folders")
        .selectAll()
        .where("ownerId", "=", ownerId)
        .where("chatId", "=", chatId)
        .executeTakeFirst()
      return row && located(row)
    },

    /** Chats' folders of one person or everyone, oldest first. */
    async listChatFolders(ownerId?: string): Promise<FolderRow[]> {
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

    transaction: <T>(work: (transaction: AnyTransaction) => Promise<T>): Promise<T> =>
      db.transaction().execute(work),

    async remove(id: string): Promise<void> {
      await db.deleteFrom("folders").where("id", "=", id).execute()
    },
  }
}

export type FolderStore = ReturnType<typeof createFolderStore>

const noFiles = (): FileCounts => ({ fileCount: 0, pendingCount: 0, failedCount: 0 })

/** A folder as it appears in lists. */
export function presentEntry(row: EntryRow, userId: string, counts: FileCounts = noFiles()): FolderEntry {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    folder: row.heldPath ?? row.path,
    ...(row.iconName === null ? {} : { iconName: row.iconName }),
    ...(row.accentColor === null ? {} : { accentColor: row.accentColor }),
    createdAt: row.createdAt,
    visibility: row.visibility,
    remote: row.remote,
    owned: row.ownerId === userId,
    ...counts,
  }
}

/** A folder as a single read returns it. */
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
    includeGenerated: row.includeGenerated === 1,
    pipeline: row.pipeline,
    watched: row.managed === 0,
    paused: row.paused === 1 || row.heldPath !== null || !available,
    available: available && row.heldPath === null,
    missingCount,
  }
}
