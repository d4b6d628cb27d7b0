import { lstat } from "node:fs/promises"
import { dirname } from "node:path"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { Visibility } from "../../../shared/contract/folders.ts"
import { actualPath } from "../../core/data-layout.ts"
import type { DbOf } from "../../core/database/database.ts"
import { createRemembered, type DatabaseState } from "../../core/database/remembered.ts"
import type { FolderOfGenerated } from "../../core/files/generated-files.ts"
import { isInside } from "./watched-directory.ts"

/** What others need to know of a folder to work with what is in it. */
export interface FolderPlace {
  id: string
  ownerId: string
  /** Absolute directory, free of symbolic links. */
  path: string
  /** The box made the directory; otherwise it is the user's own. */
  managed: boolean
  pipeline: "full" | "light"
}

export interface FolderAccess {
  /**
   * The folder, for someone who may see it (`read`) or who owns it (`write`).
   * Throws `not_found`, or `forbidden` (interface.md 4.3).
   */
  place(userId: string, folderId: string, right: "read" | "write"): Promise<FolderPlace>
  /** Sorts folder ids by whether the user may search them. */
  accessible(userId: string, folderIds: readonly string[]): Promise<SortedFolders>
  /** Those of the folders that the user may search. */
  described(userId: string, folderIds: readonly string[]): Promise<DescribedFolder[]>
  /**
   * Those of the folders, deleted or not, that no model elsewhere may read; all such folders unless told which. One that holds
   * the directory of another that stays here, or lies in it, has the same files.
   */
  staying(folderIds?: readonly string[]): Promise<{ id: string; name: string }[]>
  /** Name and owner of those of the folders that are there, chats' too, whoever may see them. */
  named(folderIds: readonly string[]): Promise<NamedFolder[]>
  /** A folder that lists show; null of a chat's, and where there is none. */
  listed(folderId: string): Promise<ListedFolder | null>
  /** Who gets to hear of changes in a folder: null means everyone. */
  audience(folderId: string): Promise<readonly string[] | null>
}

export interface DescribedFolder {
  id: string
  name: string
  description: string
}

export interface ListedFolder {
  name: string
  ownerId: string
  visibility: Visibility
  createdAt: string
}

export interface NamedFolder extends FolderOfGenerated {
  id: string
  name: string
  ownerId: string
}

export interface SortedFolders {
  allowed: string[]
  missing: string[]
  forbidden: string[]
}

export interface FolderAccessDeps {
  db: DbOf<"folders">
  databaseState: DatabaseState
  dataDir: string
  /** Whether the box's own folders have directories; otherwise their files are objects on a store. */
  ownDirectories: boolean
  /** Ids of everyone who shares a workspace with the user, the user included. */
  colleagues(userId: string): Promise<string[]>
}

/** Folders that are remembered between two writes to the database. */
const mostRemembered = 100

/** A chat's own folder includes them: what is in it was attached to a question by a person. */
export const includesGenerated = ({
  includeGenerated,
  chatId,
}: {
  includeGenerated: number
  chatId: string | null
}): boolean => includeGenerated === 1 || chatId !== null

/** Who may see a folder: its owner, with `TEAM` those who share a workspace with the owner, with `PUBLIC` everyone. */
export function createFolderAccess({
  db,
  databaseState,
  dataDir,
  ownDirectories,
  colleagues,
}: FolderAccessDeps): FolderAccess {
  const columns = ["id", "ownerId", "path", "managed", "pipeline", "visibility"] as const
  const folderOf = (id: string) =>
    db.selectFrom("folders").select(columns).where("id", "=", id).where("removed", "=", 0).executeTakeFirst()
  type Folder = NonNullable<Awaited<ReturnType<typeof folderOf>>>
  const remembered = createRemembered<Folder>(databaseState, mostRemembered)

  async function maySee(
    userId: string,
    folder: { ownerId: string; visibility: Visibility },
  ): Promise<boolean> {
    if (folder.ownerId === userId || folder.visibility === "PUBLIC") return true
    return folder.visibility === "TEAM" && (await colleagues(userId)).includes(folder.ownerId)
  }

  /** Where all folders of the box's own are: a link in its place leads to what is somebody else's. */
  async function requireOwn(directory: string): Promise<void> {
    if ((await lstat(directory).catch(() => null))?.isDirectory()) return
    throw new AppError("unavailable", sentence("folders.directory_missing"))
  }

  async function accessible(userId: string, folderIds: readonly string[]): Promise<SortedFolders> {
    const sorted: SortedFolders = { allowed: [], missing: [], forbidden: [] }
    if (folderIds.length === 0) return sorted
    const rows = await db
      .selectFrom("folders")
      .select(columns)
      .where("id", "in", [...folderIds])
      .where("removed", "=", 0)
      .execute()
    const byId = new Map(rows.map((row) => [row.id, row]))
    for (const id of new Set(folderIds)) {
      const folder = byId.get(id)
      if (!folder) sorted.missing.push(id)
      else sorted[(await maySee(userId, folder)) ? "allowed" : "forbidden"].push(id)
    }
    return sorted
  }

  return {
    accessible,

    async described(userId, folderIds) {
      const { allowed } = await accessible(userId, folderIds)
      const named = db.selectFrom("folders").select(["id", "name", "description"])
      return named.where("id", "in", allowed).execute()
    },

    async place(userId, folderId, right) {
      const read = async () => (await folderOf(folderId)) ?? null
      const folder = await (right === "read" ? remembered(folderId, read) : read())
      if (!folder) throw new AppError("not_found", sentence("folders.none_such"))
      if (!(await maySee(userId, folder))) throw new AppError("forbidden", sentence("folders.no_access"))
      if (right === "write" && folder.ownerId !== userId) {
        throw new AppError("forbidden", sentence("folders.owner_only"))
      }
      const { id, ownerId, managed, pipeline } = folder
      const path = actualPath(dataDir, folder.path)
      if (right === "write" && managed === 1 && ownDirectories) await requireOwn(dirname(path))
      return { id, ownerId, path, managed: managed === 1, pipeline }
    },

    async staying(folderIds) {
      if (folderIds?.length === 0) return []
      const folders = db.selectFrom("folders").select(["id", "name", "path", "managed"])
      const marked = await folders.where("remote", "=", "never").execute()
      if (marked.length === 0) return []
      const others = folders.where("remote", "!=", "never").where("managed", "=", 0)
      const entangled = (
        await (folderIds ? others.where("id", "in", [...folderIds]) : others).execute()
      ).filter(({ path }) =>
        marked.some((each) => each.managed === 0 && (isInside(path, each.path) || isInside(each.path, path))),
      )
      const asked = folderIds ? marked.filter(({ id }) => folderIds.includes(id)) : marked
      return [...asked, ...entangled].map(({ id, name }) => ({ id, name }))
    },

    async named(folderIds) {
      if (folderIds.length === 0) return []
      const rows = await db
        .selectFrom("folders")
        .select(["id", "name", "ownerId", "includeGenerated", "chatId"])
        .where("id", "in", [...folderIds])
        .where("removed", "=", 0)
        .orderBy("id")
        .execute()
      return rows.map(({ id, name, ownerId, ...row }) => ({
        id,
        name,
        ownerId,
        includeGenerated: includesGenerated(row),
      }))
    },

    async listed(folderId) {
      const folder = db
        .selectFrom("folders")
        .select(["name", "ownerId", "visibility", "createdAt"])
        .where("id", "=", folderId)
      const shown = folder.where("chatId", "is", null).where("removed", "=", 0)
      return (await shown.executeTakeFirst()) ?? null
    },

    async audience(folderId) {
      const folder = await folderOf(folderId)
      if (!folder) return []
      if (folder.visibility === "PUBLIC") return null
      return folder.visibility === "TEAM" ? colleagues(folder.ownerId) : [folder.ownerId]
    },
  }
}
