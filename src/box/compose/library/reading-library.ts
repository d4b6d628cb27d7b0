import type { AskedFile } from "../../../shared/contract/chat.ts"
import type { AwaitedFiles } from "../../../shared/contract/conversations.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import type { FileFilter } from "../../../shared/contract/file-filter.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { generatedIn } from "../../core/files/generated-files.ts"
import type { FileQuery } from "../../features/files/rows/file-queries.ts"
import type { MatchFiles } from "../../features/files/filtering/match-files.ts"
import type { NamedFolder } from "../../features/folders/access.ts"
import type { FolderReading } from "../../features/chat/folder-tools/session.ts"
import {
  getFolder,
  type LibraryFile,
  type PendingFiles,
  type Reader,
  type ReadingLibrary,
} from "../../features/chat/reading/library.ts"
import type { Facts } from "../../features/facts/service.ts"
import type { Library } from "./library.ts"

const filesPerRead = 500

interface LibraryOfChats extends ReadingLibrary {
  /** Returns the results of files that were still being read. */
  awaited(reader: Reader, files: readonly AskedFile[]): Promise<AwaitedFiles>
}

/** Documents that chats read whole: the files of folders, limited to what the user can see. */
export function composeReadingLibrary({
  access,
  files,
  passages,
  matchFiles,
}: Pick<Library, "access" | "files" | "passages" | "matchFiles">): LibraryOfChats {
  /** Returns the rights with which a folder is read. */
  async function rightsIn(
    folderId: string,
    { userId, granted }: Pick<Reader, "userId" | "granted">,
  ): Promise<string> {
    if (!granted.includes(folderId)) return userId
    const [folder] = await access.named([folderId])
    return folder?.ownerId ?? userId
  }

  /** Returns which files of a folder are read. */
  async function whichIn(reader: Reader, folderId: string): Promise<Pick<FileQuery, "generated" | "only">> {
    const [folder] = await access.named([folderId])
    return {
      generated: generatedIn(folder, reader.generated),
      only: await getOnly(matchFiles, folder, reader.filter),
    }
  }

  async function pending(reader: Reader, folderIds: readonly string[], max: number): Promise<PendingFiles> {
    const counts = await files.counts(folderIds)
    const found: LibraryFile[] = []
    let count = 0
    for (const [folderId, { pendingCount }] of counts) {
      if (pendingCount === 0) continue
      const userId = await rightsIn(folderId, reader)
      const which = await whichIn(reader, folderId)
      for (const status of ["processing", "queued"] as const) {
        const query = { status, limit: max, offset: 0, ...which }
        const list = await files.list(userId, folderId, query).catch(nullIfNotFound)
        count += list?.total ?? 0
        found.push(...(list?.files ?? []))
      }
    }
    return { count, files: found.slice(0, max) }
  }

  return {
    async filtered(reader, found) {
      if (!reader.filter) return [...found]
      const folderIds = [...new Set(found.map(getFolder))]
      const which = new Map(
        await Promise.all(folderIds.map(async (id) => [id, (await whichIn(reader, id)).only] as const)),
      )
      return found.filter((file) => which.get(getFolder(file))?.has(file.id) ?? true)
    },

    async files(reader, folderId) {
      const userId = await rightsIn(folderId, reader)
      const all: LibraryFile[] = []
      const which = await whichIn(reader, folderId)
      for (let total = 1; all.length < total;) {
        const query = { limit: filesPerRead, offset: all.length, ...which }
        const page = await files.list(userId, folderId, query)
        if (page.files.length === 0) break
        all.push(...page.files)
        total = page.total
      }
      return all
    },

    pending,

    async awaited(reader, asked) {
      const folderIds = [...new Set(asked.map(({ vectorId }) => vectorId))]
      if ((await pending(reader, folderIds, 1)).count > 0) return "reading"
      for (const { vectorId, fileId } of asked) {
        const file = await files
          .read(await rightsIn(vectorId, reader), vectorId, fileId)
          .catch(nullIfNotFound)
        if (file?.status === "completed") return "read"
      }
      return "unread"
    },

    async file(userId, fileId) {
      const folderId = await files.getFolder(fileId)
      return folderId === null ? null : files.read(userId, folderId, fileId).catch(nullIfNotFound)
    },

    async blocks(reader, file) {
      const folderId = getFolder(file)
      return files.text(await rightsIn(folderId, reader), folderId, file.id)
    },
    characters: passages.characters,
    beginning: passages.beginning,
    getPassage: passages.findContaining,
  }
}

/** Skips items that don't exist or that the caller may not read. */
function nullIfNotFound(error: unknown): null {
  if (error instanceof AppError && ["not_found", "forbidden"].includes(error.code)) return null
  throw error
}

/** Returns the files of a folder that a filter lets through; null: all, as of a chat's own folder, which holds attachments. */
async function getOnly(
  matchFiles: MatchFiles,
  folder: Pick<NamedFolder, "id" | "isOfChat"> | undefined,
  filter: FileFilter | null | undefined,
): Promise<ReadonlySet<string> | null> {
  return filter && folder && !folder.isOfChat ? new Set(await matchFiles([folder.id], filter)) : null
}

function requireIncluded(only: ReadonlySet<string> | null, fileId: string): void {
  if (only !== null && !only.has(fileId)) throw new AppError("not_found", sentence("files.none_such"))
}

/** Reads folders for chat's folder tools. Each call checks the user's access and then reads with the owner's rights. */
export const composeFolderReading = ({
  access,
  files,
  tables,
  matchFiles,
}: Pick<Library, "access" | "files" | "tables" | "matchFiles">): FolderReading => ({
  async reached({ userId, folderIds, generated, filter = null }, granted) {
    const { allowed } = await access.accessible(userId, folderIds)
    const named = await access.named(folderIds)
    const reached = named.filter(({ id }) => allowed.includes(id) || granted.includes(id))
    return Promise.all(
      reached.map(async (folder) => ({
        ...folder,
        generated: generatedIn(folder, generated),
        only: await getOnly(matchFiles, folder, filter),
      })),
    )
  },
  files: ({ ownerId, id, generated, only }, query) => files.list(ownerId, id, { ...query, generated, only }),
  getFolder: files.getFolder,
  async file({ ownerId, id, generated, only }, fileId) {
    requireIncluded(only, fileId)
    return files.read(ownerId, id, fileId, generated)
  },
  async text({ ownerId, id, generated, only }, fileId) {
    requireIncluded(only, fileId)
    return files.text(ownerId, id, fileId, generated)
  },
  tables: {
    list: ({ ownerId, id, generated, only }, signal) => tables.list(ownerId, id, { signal, generated, only }),
    query: ({ ownerId, id, generated, only }, sql, { signal }) =>
      tables.query(ownerId, id, sql, { signal, generated, only }),
  },
})

/** Dates, amounts, outlines and key terms of documents; created with the first question about them. */
export function composeFacts(
  library: Pick<Library, "access" | "files" | "passages" | "matchFiles">,
): () => Promise<Facts> {
  let facts: Promise<Facts> | undefined
  const { files } = library
  const reading = composeReadingLibrary(library)
  return () =>
    (facts ??= import("../../features/facts/service.ts").then(({ createFacts }) =>
      createFacts({
        files: (userId, folderId) => reading.files({ userId, granted: [], generated: [] }, folderId),
        file: files.read,
        blocks: files.text,
      }),
    ))
}
