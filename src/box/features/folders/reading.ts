import type { Folder, FolderEntry, StoredPassage } from "../../../shared/contract/folders.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { createRemembered, type DatabaseState } from "../../core/database/remembered.ts"
import type { FolderAccess } from "./access.ts"
import type { AttachableFile, FolderContents } from "./contents.ts"
import type { FolderQuery, FolderSearchResult, SearchFolders } from "./folder-search.ts"
import { presentEntry, presentFolder, type FolderRow, type FolderStore } from "./store.ts"

export interface ReadingDeps {
  access: FolderAccess
  /** Of the database of the folders. */
  databaseState: DatabaseState
  /** Whether the user owns the workspace. */
  colleagues(userId: string): Promise<string[]>
  contents: FolderContents
  search: SearchFolders
  /** Passages of completed files, whosever they are; unknown ids are left out. */
  passagesById(ids: readonly string[]): Promise<StoredPassage[]>
}

/** A list of folders as it is answered. */
export type FolderList = Readonly<{ vectors: FolderEntry[] }>

/** What people see of folders, each of those that they may search. */
export interface FolderReading {
  /** The same frozen object until anybody writes, while all directories are there. */
  list(userId: string): Promise<FolderList>
  read(userId: string, id: string): Promise<Folder>
  /** Throws `not_found` as `read` does, and when the passage isn't in this folder. */
  passage(userId: string, id: string, passageId: string): Promise<StoredPassage>
  search(userId: string, query: FolderQuery): Promise<FolderSearchResult>
  /** Files of the chat's own folder, in the order in which they came. */
  attachable(userId: string, chatId: string): Promise<AttachableFile[]>
}

/** People whose lists are remembered between two writes to the database. */
const mostRemembered = 20

export const noSuchFolder = () => new AppError("not_found", sentence("folders.none_such"))

/** The folder as the user sees it, with what is in it now. */
export async function present(
  row: FolderRow,
  userId: string,
  contents: Pick<FolderContents, "counts" | "standing">,
): Promise<Folder> {
  const counts = (await contents.counts([row.id])).get(row.id)
  return presentFolder(row, userId, counts, contents.standing(row.id))
}

export function createFolderReading({
  store,
  access,
  databaseState,
  colleagues,
  contents,
  search,
  passagesById,
}: ReadingDeps & { store: FolderStore }): FolderReading {
  const remembered = createRemembered<FolderList>(databaseState, mostRemembered)

  async function readList(userId: string): Promise<FolderList> {
    const rows = await store.visible(userId, () => colleagues(userId))
    const counts = await contents.counts(rows.map((row) => row.id))
    return Object.freeze({ vectors: rows.map((row) => presentEntry(row, userId, counts.get(row.id))) })
  }

  return {
    async list(userId) {
      const list = await remembered(userId, () => readList(userId))
      const isMissing = ({ id }: FolderEntry) => {
        const { available, missingCount } = contents.standing(id)
        return !available || missingCount > 0
      }
      // Drives come and go without a write.
      const missing = new Set(list.vectors.filter(isMissing))
      if (missing.size === 0) return list
      return {
        vectors: list.vectors.map((entry) => (missing.has(entry) ? { ...entry, missing: true } : entry)),
      }
    },

    async read(userId, id) {
      const { allowed } = await access.accessible(userId, [id])
      const row = allowed.length > 0 ? await store.find(id) : undefined
      if (!row) throw noSuchFolder()
      return present(row, userId, contents)
    },

    async passage(userId, id, passageId) {
      const { allowed } = await access.accessible(userId, [id])
      const [passage] = allowed.length > 0 ? await passagesById([passageId]) : []
      if (passage?.vectorId === id) return passage
      throw new AppError("not_found", sentence("folders.no_passage"))
    },

    async search(userId, query) {
      const { missing, forbidden } = await access.accessible(userId, query.vectorIds)
      const details = [...missing, ...forbidden]
      if (details.length > 0) throw new AppError("not_found", sentence("folders.none_such"), { details })
      return search(query)
    },

    async attachable(userId, chatId) {
      const row = await store.ofChat(userId, chatId)
      return row ? contents.attachable(row.id) : []
    },
  }
}
