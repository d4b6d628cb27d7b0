import { basename } from "node:path"
import type { Updateable, Selectable } from "kysely"
import type { Folder, FolderEntry } from "../../../shared/contract/folders.ts"
import { actualPath, storedPath } from "../../core/data-layout.ts"
import { ownTables, type AnyTransaction, type DbOf } from "../../core/database/database.ts"
import { createPreparedQuery } from "../../core/database/sql-helpers.ts"
import type { TablesOf } from "../../core/database/table-owners.ts"
import { newId } from "../../core/ids.ts"
import type { ReadingOptions } from "../../parsers/readers.ts"

type Columns = Updateable<TablesOf<"folders">["folders"]>

interface BeforeHiding {
  paused: number
  chatId: string | null
}

/** Folders whose deletion can still be undone. No one can see them. */
function createHiddenFolders(db: DbOf<"folders">) {
  async function set(id: string, change: Columns, writer: DbOf<"folders">): Promise<void> {
    await writer.updateTable("folders").set(change).where("id", "=", id).execute()
  }

  const takeFromChat = (ownersFolderId: string, chatId: string, writer: DbOf<"folders">) =>
    writer
      .updateTable("folders")
      .set({ chatId: null })
      .where("chatId", "=", chatId)
      .where("ownerId", "=", writer.selectFrom("folders").select("ownerId").where("id", "=", ownersFolderId))
      .returning("id")
      .executeTakeFirst()

  return {
    /** Hides the folder: no one can see it and nothing processes it from then on. */
    hide: (id: string, transaction: AnyTransaction): Promise<void> =>
      set(id, { removed: 1, paused: 1, chatId: null }, ownTables<"folders">(transaction)),

    /**
     * Restores the folder to its previous state and to its chat. If the chat got another folder in the meantime, that one becomes an
     * ordinary folder of its owner, and its ID is returned.
     */
    async show(
      id: string,
      { paused, chatId }: BeforeHiding,
      transaction: AnyTransaction,
    ): Promise<string | null> {
      const writer = ownTables<"folders">(transaction)
      const replaced = chatId === null ? undefined : await takeFromChat(id, chatId, writer)
      await set(id, { removed: 0, paused, chatId }, writer)
      return replaced?.id ?? null
    },

    async isHidden(id: string): Promise<boolean> {
      const hidden = db.selectFrom("folders").select("id").where("id", "=", id).where("removed", "=", 1)
      return (await hidden.executeTakeFirst()) !== undefined
    },
  }
}

/** `path` is absolute. */
export type FolderRow = Selectable<TablesOf<"folders">["folders"]>

/** `path` of a folder from a restored backup until an owner decides. No directory with this name exists in a data directory. */
export const heldPlace = "held-by-restore"
/** `path` of such a folder that an owner left off, until its owner chooses a directory. */
export const leftOffPlace = "left-off-after-restore"

/** Whether an owner has yet to decide about a folder from a restored backup. */
export const isHeld = ({ path, heldPath }: Pick<FolderRow, "path" | "heldPath">): boolean =>
  heldPath !== null && basename(path) !== leftOffPlace

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
      return (await query.selectAll().orderBy("createdAt").orderBy("id").execute()).map(located)
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
    folder: (isHeld(row) ? row.heldPath : null) ?? row.path,
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
  {
    available,
    missingCount,
    completeness,
    outdatedCount,
    withoutImagesCount,
  }: Pick<Folder, "available" | "missingCount" | "completeness" | "outdatedCount" | "withoutImagesCount">,
): Folder {
  return {
    ...presentEntry(row, userId, counts),
    topK: row.topK,
    filter: row.filter,
    strategy: row.strategy,
    includeGenerated: row.includeGenerated === 1,
    hiddenParts: row.hiddenParts,
    images: row.images,
    pipeline: row.pipeline,
    watched: row.managed === 0,
    paused: row.paused === 1 || row.heldPath !== null || !available,
    available: available && row.heldPath === null,
    completeness,
    outdatedCount,
    withoutImagesCount,
    missingCount,
  }
}

/** Returns which parts of its documents a folder wants in addition to their visible text. */
export const getReadingOptions = ({
  hiddenParts,
  images,
}: Pick<FolderRow, "hiddenParts" | "images">): ReadingOptions => ({
  marksHidden: hiddenParts === "mark",
  wantsPictures: images !== "none",
  wantsDescriptions: images === "description",
})

/** Folder locations, regardless of owner, for background work on their files. */
export function createStoredFolders(db: DbOf<"folders">, dataDir: string) {
  const columns = [
    "id",
    "ownerId",
    "path",
    "managed",
    "pipeline",
    "hiddenParts",
    "images",
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
    hiddenParts,
    images,
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
    ...getReadingOptions({ hiddenParts, images }),
    paused: paused === 1 || heldPath !== null,
    directory: device === null ? null : { device, inode },
  })
  const allFolders = () => db.selectFrom("folders").select(columns)

  return {
    all: async () => (await allFolders().execute()).map(toStoredFolder),

    active: async () =>
      (await allFolders().where("paused", "=", 0).where("heldPath", "is", null).execute()).map(
        toStoredFolder,
      ),

    async find(folderId: string) {
      const row = await allFolders().where("id", "=", folderId).executeTakeFirst()
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
