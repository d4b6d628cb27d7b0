import { AppError } from "../../../shared/contract/errors.ts"
import type {
  Folder,
  FolderEntry,
  StoredPassage,
  Notice,
  Passage,
  Strategy,
} from "../../../shared/contract/folders.ts"
import { type FileFilter, narrows } from "../../../shared/contract/file-filter.ts"
import { createNotice, sentence } from "../../../shared/sentences/sentences.ts"
import { type DbOf, createRemembered, type DatabaseState } from "../../core/database/database.ts"
import { generatedIn, type GeneratedFiles } from "../../core/files/generated-files.ts"
import type { FileSelection } from "../../engines/vectors/passage-index.ts"
import type { ReadingOptions } from "../../parsers/readers.ts"
import type { ReadableFile } from "../../tools/code-interpreter/input-files.ts"
import type { ToolContext } from "../../tools/tool.ts"
import { type FolderAccess, includesGenerated } from "./access.ts"
import {
  getReadingOptions,
  presentEntry,
  presentFolder,
  type FolderRow,
  type FolderStore,
  type FileCounts,
} from "./store.ts"

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
  contents: Pick<FolderContents, "counts" | "countByCompleteness" | "getAvailability" | "countOutdated">,
): Promise<Folder> {
  const counts = (await contents.counts([row.id])).get(row.id)
  const { outdated = 0, withoutPictures = 0 } = counts
    ? await contents.countOutdated({ id: row.id, ...getReadingOptions(row) })
    : {}
  const completeness = await contents.countByCompleteness(row.id)
  return presentFolder(row, userId, counts, {
    ...contents.getAvailability(row.id),
    completeness,
    outdatedCount: outdated,
    withoutImagesCount: withoutPictures,
  })
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

/** A file in a chat's folder, for use in its messages. */
interface AttachableFile {
  fileId: string
  name: string
  size: number
  createdAt: string
}

/** File operations that folders need. */
interface FolderContents {
  /**
   * Reconciles the folder with its directory and follows the directory from then on. Resolves when the first reconciliation has started.
   */
  follow(folderId: string): Promise<void>
  /** Stops following; resolves when nothing works on the folder any more. */
  release(folderId: string): Promise<void>
  /** Whether the folder's directory is available with its known contents, and the number of missing files. */
  getAvailability(folderId: string): { available: boolean; missingCount: number }
  /** Treats the files that are currently missing as deleted; none if the directory isn't available. */
  forgetMissing(folderId: string): Promise<void>
  /** Removes all files, passages and index entries of a released folder. A managed directory goes to the trash. */
  clear(folderId: string): Promise<void>
  /** The number of files in the folders, by state. Folders without files are left out. */
  counts(folderIds: readonly string[]): Promise<ReadonlyMap<string, FileCounts>>
  /** The number of a folder's files of which all, some or none is in the index. */
  countByCompleteness(folderId: string): Promise<Folder["completeness"]>
  /** The number of a folder's indexed files that are to be read again, and of those that were read without their pictures. */
  countOutdated(
    folder: ReadingOptions & { id: string },
  ): Promise<{ outdated: number; withoutPictures: number }>
  /** The time at which the newest file of each folder was added. Folders without files are left out. */
  newest(folderIds: readonly string[]): Promise<ReadonlyMap<string, string>>
  attachable(folderId: string): Promise<AttachableFile[]>
}

interface FolderQuery {
  query: string
  vectorIds: readonly string[]
  /** Overrides the folders' settings. */
  topK?: number | undefined
  strategy?: Strategy | undefined
  /** Whether the question belongs to a chat that no remote model may read. */
  staysHere?: boolean | undefined
  /** Narrows the search to these files; attachments of a chat are always searched. */
  filter?: FileFilter | null | undefined
  /** Model-written files to search, in addition to those that a folder includes; none by default. */
  generated?: GeneratedFiles | undefined
}

interface FolderSearchResult {
  results: Passage[]
  /** Passages that were found but aren't among the results, with the reason. */
  others: OmittedPassage[]
  /** The strategy that was used; `keyword` if there is no embedding model. */
  strategy: Strategy
  notices: Notice[]
}

interface OmittedPassage extends Pick<Passage, "id" | "score" | "rank"> {
  reason: "below_filter" | "duplicate" | "not_best"
}

/** The search itself, which knows passages but not folders. */
export type SearchPassages = (request: {
  query: string
  vectorIds: string[]
  staysHere?: boolean | undefined
  topK: number
  strategy: Strategy
  /** Relevance in percent by folder; passages below it are dropped. */
  filters: ReadonlyMap<string, number>
  /** The files that can be found; all files of the folders if undefined. */
  files: FileSelection | undefined
  /** Model-written files that can be found, by folder. */
  generated: ReadonlyMap<string, GeneratedFiles>
}) => Promise<FolderSearchResult>

type SearchFolders = (query: FolderQuery) => Promise<FolderSearchResult>

/**
 * Searches several folders as one, using their own settings: the largest `topK`, the strategy if they all agree and `hybrid` otherwise, and
 * each folder's own `filter` for its passages.
 */
export function createFolderSearch(
  db: DbOf<"folders">,
  search: SearchPassages,
  selectFiles: SelectFiles,
): SearchFolders {
  return async ({ query, vectorIds, topK, strategy, staysHere, filter, generated = [] }) => {
    const folders = await db
      .selectFrom("folders")
      .select(["id", "topK", "filter", "strategy", "includeGenerated", "chatId"])
      .where("id", "in", [...vectorIds])
      .execute()
    const strategies = new Set(folders.map((folder) => folder.strategy))
    const [agreed] = strategies
    const wanted = strategy ?? (agreed && strategies.size === 1 ? agreed : "hybrid")
    if (folders.length === 0) return { results: [], others: [], strategy: wanted, notices: [] }
    const selected = narrows(filter)
      ? await selectFiles(
          folders.map(({ id, chatId }) => ({ id, isOfChat: chatId !== null })),
          filter,
        )
      : undefined
    if (selected?.count === 0)
      return { results: [], others: [], strategy: wanted, notices: [createNotice("filter_matches_no_file")] }
    const found = await search({
      query,
      staysHere,
      files: selected?.files,
      vectorIds: folders.map((folder) => folder.id),
      topK: topK ?? Math.max(...folders.map((folder) => folder.topK)),
      strategy: wanted,
      filters: new Map(folders.map((folder) => [folder.id, folder.filter])),
      generated: new Map(
        folders.map((folder) => [
          folder.id,
          generatedIn({ includeGenerated: includesGenerated(folder) }, generated),
        ]),
      ),
    })
    if (!selected || found.results.length > 0) return found
    const nothing = createNotice("nothing_in_filter", { count: selected.count })
    return { ...found, notices: [...found.notices, nothing] }
  }
}

/** Selects the files that a filter lets through, and all files that a person attached to a question. */
export type SelectFiles = (
  folders: readonly { id: string; isOfChat: boolean }[],
  filter: FileFilter,
) => Promise<{ count: number; files: FileSelection }>

/** Files for a model's program, folder by folder, from those of the folders that the user may search. Returns at most the given number. */
export function createReadableFiles({
  access,
  files,
  matchFiles,
}: {
  access: Pick<FolderAccess, "accessible" | "named">
  files: {
    readable(
      userId: string,
      folderId: string,
      max: number,
      which: { generated: GeneratedFiles; only: ReadonlySet<string> | null },
    ): Promise<Pick<ReadableFile, "path" | "size" | "read">[]>
  }
  /** Finds the files that a filter lets through. */
  matchFiles(folderIds: readonly string[], filter: FileFilter): Promise<string[]>
}) {
  return async (
    {
      userId,
      folderIds,
      generated,
      filter,
    }: Pick<ToolContext, "userId" | "folderIds" | "generated" | "filter">,
    max: number,
  ): Promise<ReadableFile[]> => {
    const { allowed } = await access.accessible(userId, folderIds)
    const found: ReadableFile[] = []
    for (const folder of await access.named(allowed)) {
      if (found.length >= max) break
      const { id, name } = folder
      const only = filter && !folder.isOfChat ? new Set(await matchFiles([id], filter)) : null
      const some = await files.readable(userId, id, max - found.length, {
        generated: generatedIn(folder, generated),
        only,
      })
      found.push(...some.map((file) => ({ ...file, folderId: id, folder: name })))
    }
    return found
  }
}
