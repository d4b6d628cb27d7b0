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
  /** State of the folders' database. */
  databaseState: DatabaseState
  /** IDs of everyone who shares a workspace with the user. */
  colleagues(userId: string): Promise<string[]>
  contents: FolderContents
  search: SearchFolders
  /** Passages of completed files, regardless of owner. Unknown IDs are left out. */
  findPassagesById(ids: readonly string[]): Promise<StoredPassage[]>
}

/** A list of folders as the API returns it. */
export type FolderList = Readonly<{ vectors: FolderEntry[] }>

/** Read access to the folders that a user may search. */
export interface FolderReading {
  /** Returns the same frozen object until something is written, while all directories are available. */
  list(userId: string): Promise<FolderList>
  read(userId: string, id: string): Promise<Folder>
  /** Throws `not_found` like `read`, and if the passage isn't in this folder. */
  passage(userId: string, id: string, passageId: string): Promise<StoredPassage>
  search(userId: string, query: FolderQuery): Promise<FolderSearchResult>
  /** Files of the chat's own folder, in the order in which they were added. */
  attachable(userId: string, chatId: string): Promise<AttachableFile[]>
}

/** Maximum number of people whose lists are cached between two writes to the database. */
const maxRemembered = 20

export const folderNotFound = () => new AppError("not_found", sentence("folders.none_such"))

/** The folder as the user sees it, with its current contents. */
export async function present(
  row: FolderRow,
  userId: string,
  contents: Pick<FolderContents, "counts" | "getAvailability">,
): Promise<Folder> {
  const counts = (await contents.counts([row.id])).get(row.id)
  return presentFolder(row, userId, counts, contents.getAvailability(row.id))
}

export function createFolderReading({
  store,
  access,
  databaseState,
  colleagues,
  contents,
  search,
  findPassagesById,
}: ReadingDeps & { store: FolderStore }): FolderReading {
  const remembered = createRemembered<FolderList>(databaseState, maxRemembered)

  async function readList(userId: string): Promise<FolderList> {
    const rows = await store.visible(userId, () => colleagues(userId))
    const counts = await contents.counts(rows.map((row) => row.id))
    return Object.freeze({ vectors: rows.map((row) => presentEntry(row, userId, counts.get(row.id))) })
  }

  return {
    async list(userId) {
      const list = await remembered(userId, () => readList(userId))
      const isMissing = ({ id }: FolderEntry) => {
        const { available, missingCount } = contents.getAvailability(id)
        return !available || missingCount > 0
      }
      // Drives can be connected and disconnected without a write to the database.
      const missing = new Set(list.vectors.filter(isMissing))
      if (missing.size === 0) return list
      return {
        vectors: list.vectors.map((entry) => (missing.has(entry) ? { ...entry, missing: true } : entry)),
      }
    },

    async read(userId, id) {
      const { allowed } = await access.accessible(userId, [id])
      const row = allowed.length > 0 ? await store.find(id) : undefined
      if (!row) throw folderNotFound()
      return present(row, userId, contents)
    },

    async passage(userId, id, passageId) {
      const { allowed } = await access.accessible(userId, [id])
      const [passage] = allowed.length > 0 ? await findPassagesById([passageId]) : []
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
      const row = await store.getFolderOfChat(userId, chatId)
      return row ? contents.attachable(row.id) : []
    },
  }
}
