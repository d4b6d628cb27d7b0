import { lstat } from "node:fs/promises"
import { dirname } from "node:path"
import type { Selectable } from "kysely"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { Visibility } from "../../../shared/contract/folders.ts"
import { actualPath } from "../../core/data-layout.ts"
import {
  type DbOf,
  createRemembered,
  type DatabaseState,
  type Remembered,
} from "../../core/database/database.ts"
import type { FolderOfGenerated } from "../../core/files/generated-files.ts"
import type { TablesOf } from "../../core/database/table-owners.ts"
import { isInside } from "./watched-directory.ts"

/** Folder data that other features need to work with its contents. */
export interface StoredFolder {
  id: string
  ownerId: string
  /** Absolute directory, free of symbolic links. */
  path: string
  /** Whether the server made the directory; otherwise it is the user's own. */
  managed: boolean
  pipeline: "full" | "light"
}

export interface FolderAccess {
  /**
   * Returns the folder to a user who may see it (`read`) or who owns it (`write`). Throws `not_found`, or `forbidden`.
   */
  locate(userId: string, folderId: string, right: "read" | "write"): Promise<StoredFolder>
  /** Sorts folder IDs by whether the user may search the folders. */
  accessible(userId: string, folderIds: readonly string[]): Promise<SortedFolders>
  /** The folders among these that the user may search. */
  described(userId: string, folderIds: readonly string[]): Promise<DescribedFolder[]>
  /**
   * The folders, deleted or not, that no remote model may read; all such folders unless IDs are given. A followed directory that contains,
   * or lies in, a directory that stays on this computer has the same files, so its folder is included. The directory of a folder from a
   * restored backup is compared even while the folder is off.
   */
  staying(folderIds?: readonly string[]): Promise<{ id: string; name: string }[]>
  /** Name and owner of the folders that exist, including chats' folders, regardless of who may see them. */
  named(folderIds: readonly string[]): Promise<NamedFolder[]>
  /** A folder that appears in lists; null for a chat's folder or if it doesn't exist. */
  listed(folderId: string): Promise<ListedFolder | null>
  /** The users who are notified of changes in a folder; null means everyone. */
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
  /** It holds what a person attached to the questions of a chat. */
  isOfChat: boolean
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
  /** Whether managed folders have directories; otherwise their files are stored in an object store. */
  hasOwnDirectories: boolean
  /** IDs of everyone who shares a workspace with the user, including the user. */
  colleagues(userId: string): Promise<string[]>
}

/** Maximum number of folders cached between two writes to the database. */
const maxRemembered = 100

/** A chat's own folder includes generated files, because a person attached its contents to a question. */
export const includesGenerated = ({
  includeGenerated,
  chatId,
}: {
  includeGenerated: number
  chatId: string | null
}): boolean => includeGenerated === 1 || chatId !== null

const columns = ["id", "ownerId", "path", "managed", "pipeline", "visibility"] as const
type FolderRow = Pick<Selectable<TablesOf<"folders">["folders"]>, (typeof columns)[number]>

/** A folder is visible to its owner, with `TEAM` to people who share a workspace with the owner, and with `PUBLIC` to everyone. */
export const createFolderAccess = (deps: FolderAccessDeps): FolderAccess => new StoredFolderAccess(deps)

class StoredFolderAccess implements FolderAccess {
  readonly #deps: FolderAccessDeps
  readonly #remembered: Remembered<FolderRow>

  constructor(deps: FolderAccessDeps) {
    this.#deps = deps
    this.#remembered = createRemembered(deps.databaseState, maxRemembered)
  }

  async accessible(userId: string, folderIds: readonly string[]): Promise<SortedFolders> {
    const sorted: SortedFolders = { allowed: [], missing: [], forbidden: [] }
    if (folderIds.length === 0) return sorted
    const rows = await this.#deps.db
      .selectFrom("folders")
      .select(columns)
      .where("id", "in", [...folderIds])
      .where("removed", "=", 0)
      .execute()
    const byId = new Map(rows.map((row) => [row.id, row]))
    for (const id of new Set(folderIds)) {
      const folder = byId.get(id)
      if (!folder) sorted.missing.push(id)
      else sorted[(await this.#maySee(userId, folder)) ? "allowed" : "forbidden"].push(id)
    }
    return sorted
  }

  async #maySee(userId: string, folder: { ownerId: string; visibility: Visibility }): Promise<boolean> {
    if (folder.ownerId === userId || folder.visibility === "PUBLIC") return true
    return folder.visibility === "TEAM" && (await this.#deps.colleagues(userId)).includes(folder.ownerId)
  }

  async described(userId: string, folderIds: readonly string[]): Promise<DescribedFolder[]> {
    const { allowed } = await this.accessible(userId, folderIds)
    const named = this.#deps.db.selectFrom("folders").select(["id", "name", "description"])
    return named.where("id", "in", allowed).execute()
  }

  async locate(userId: string, folderId: string, right: "read" | "write"): Promise<StoredFolder> {
    const read = async () => (await this.#getFolder(folderId)) ?? null
    const folder = await (right === "read" ? this.#remembered(folderId, read) : read())
    if (!folder) throw new AppError("not_found", sentence("folders.none_such"))
    if (!(await this.#maySee(userId, folder))) throw new AppError("forbidden", sentence("folders.no_access"))
    if (right === "write" && folder.ownerId !== userId) {
      throw new AppError("forbidden", sentence("folders.owner_only"))
    }
    const { id, ownerId, managed, pipeline } = folder
    const path = actualPath(this.#deps.dataDir, folder.path)
    if (right === "write" && managed === 1 && this.#deps.hasOwnDirectories)
      await this.#requireOwn(dirname(path))
    return { id, ownerId, path, managed: managed === 1, pipeline }
  }

  #getFolder(id: string) {
    return this.#deps.db
      .selectFrom("folders")
      .select(columns)
      .where("id", "=", id)
      .where("removed", "=", 0)
      .executeTakeFirst()
  }

  /**
   * Requires the directory of all managed folders to be a real directory, because a symbolic link in its place leads to someone else's
   * files.
   */
  async #requireOwn(directory: string): Promise<void> {
    if ((await lstat(directory).catch(() => null))?.isDirectory()) return
    throw new AppError("unavailable", sentence("folders.directory_missing"))
  }

  async staying(folderIds?: readonly string[]): Promise<{ id: string; name: string }[]> {
    if (folderIds?.length === 0) return []
    const folders = this.#deps.db
      .selectFrom("folders")
      .select((e) => ["id", "name", "managed", e.fn.coalesce("heldPath", "path").as("path")])
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
  }

  async named(folderIds: readonly string[]): Promise<NamedFolder[]> {
    if (folderIds.length === 0) return []
    const rows = await this.#deps.db
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
      isOfChat: row.chatId !== null,
    }))
  }

  async listed(folderId: string): Promise<ListedFolder | null> {
    const folder = this.#deps.db
      .selectFrom("folders")
      .select(["name", "ownerId", "visibility", "createdAt"])
      .where("id", "=", folderId)
    const shown = folder.where("chatId", "is", null).where("removed", "=", 0)
    return (await shown.executeTakeFirst()) ?? null
  }

  async audience(folderId: string): Promise<readonly string[] | null> {
    const folder = await this.#getFolder(folderId)
    if (!folder) return []
    if (folder.visibility === "PUBLIC") return null
    return folder.visibility === "TEAM" ? this.#deps.colleagues(folder.ownerId) : [folder.ownerId]
  }
}
