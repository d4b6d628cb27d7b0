import { useMutation, useQueries, useQuery } from "@tanstack/react-query"
import type { FileBlock, FileEntry, FilePatch, FileSort, FileStatus } from "../../../shared/contract/files.ts"
import type { SocketMessage } from "../../../shared/contract/socket.ts"
import { box, hasCode } from "../../lib/box.ts"
import { lastModifiedOf } from "../../lib/browser/last-modified.ts"
import { refreshFolder } from "./folders.ts"
import { editQueries, queryClient } from "../query-client.ts"
import { refreshEstimates } from "../chats/reading-estimate.ts"

const filesKey = (folderId: string) => ["files", folderId] as const

export const filePageSize = 200

export interface FileFilter {
  search: string
  status: FileStatus | undefined
  /** In the order in which they came unless given. */
  sort?: { by: FileSort; order: "asc" | "desc" } | undefined
}

interface FilePage {
  total: number
  offset: number
  files: FileEntry[]
}

const pageOf = (folderId: string, filter: FileFilter, page: number) => ({
  queryKey: [...filesKey(folderId), filter, page],
  queryFn: ({ signal }: { signal: AbortSignal }): Promise<FilePage> =>
    box.files.list(
      {
        params: { id: folderId },
        query: {
          limit: filePageSize,
          offset: page * filePageSize,
          ...(filter.search === "" ? {} : { search: filter.search }),
          ...(filter.status === undefined ? {} : { status: filter.status }),
          ...(filter.sort && { sort: filter.sort.by, order: filter.sort.order }),
        },
      },
      { signal },
    ),
})

/** The pages of a folder's file list that hold the rows on screen. */
export function useFilePages(folderId: string, filter: FileFilter, pages: number[]) {
  return useQueries({ queries: pages.map((page) => pageOf(folderId, filter, page)) })
}

/** The files of some rows of the list, the last one too; only pages that aren't here yet are read. */
export async function filesOfRows(
  folderId: string,
  filter: FileFilter,
  first: number,
  last: number,
): Promise<FileEntry[]> {
  const files: FileEntry[] = []
  const firstPage = Math.floor(first / filePageSize)
  for (let page = firstPage; page * filePageSize <= last; page++)
    files.push(
      ...(await queryClient.fetchQuery({ ...pageOf(folderId, filter, page), staleTime: Infinity })).files,
    )
  const skipped = firstPage * filePageSize
  return files.slice(first - skipped, last - skipped + 1)
}

/** A file and the folder that it is in. */
export type FileOfFolder = FileEntry & { vectorId: string }

/** Indexed files of some folders whose names fit, the first of each. */
export function useMatchingFiles(folderIds: readonly string[], search: string): FileOfFolder[] | undefined {
  const { data } = useQuery({
    queryKey: ["matching-files", folderIds, search],
    queryFn: async ({ signal }) => {
      const query = {
        limit: mostMatching,
        offset: 0,
        status: "completed" as const,
        sort: "name" as const,
        ...(search === "" ? {} : { search }),
      }
      const pages = await Promise.all(
        folderIds.map(async (id) => {
          const { files } = await box.files.list({ params: { id }, query }, { signal })
          return files.map((file) => ({ ...file, vectorId: id }))
        }),
      )
      return pages.flat()
    },
    placeholderData: (before) => before,
  })
  return data
}
const mostMatching = 50

/** Reads a folder's file list and counts again, and what reading it would take. */
export async function refreshFiles(folderId: string): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: filesKey(folderId) }),
    refreshFolder(folderId),
    refreshEstimates(),
  ])
}

/** Puts news of files into the lists that show them. True when a list has to be read again. */
export function applyFileMessages(folderId: string, messages: FileMessage[]): boolean {
  const newest = new Map(
    messages.flatMap((message) => (message.type === "file" ? [[message.file.id, message.file]] : [])),
  )
  for (const [id, file] of newest) {
    queryClient.setQueryData<FileEntry>(["file", folderId, id], (known) => known && file)
    if (isSettled(file)) readDocumentAgain(folderId, id)
  }
  const shown = new Set<string>()
  editQueries<FilePage>(filesKey(folderId), (page) => ({
    ...page,
    files: page.files.map((file) => {
      const update = newest.get(file.id)
      if (update) shown.add(file.id)
      return update ?? file
    }),
  }))
  return messages.some((message) => message.type === "file.deleted" || settles(message, shown))
}

export type FileMessage = Extract<SocketMessage, { type: "file" | "file.deleted" }>

function settles(message: FileMessage, shown: Set<string>): boolean {
  if (message.type !== "file") return true
  return !shown.has(message.file.id) || isSettled(message.file)
}

/** It isn't waiting, nor being read. */
export const isSettled = ({ status }: FileEntry): boolean => status !== "queued" && status !== "processing"

/** What is shown of a document is of what it was before. */
function readDocumentAgain(folderId: string, fileId: string): void {
  for (const part of ["file-text", "file-pages", "file-overview"])
    void queryClient.invalidateQueries({ queryKey: [part, folderId, fileId] })
}

/** One file; nothing is read while there is no id. */
export function useFile(folderId: string, fileId: string | undefined) {
  return useQuery({
    queryKey: ["file", folderId, fileId],
    queryFn: async ({ signal }) =>
      (await box.files.read({ params: { id: folderId, fileId: fileId ?? "" } }, { signal })).file,
    enabled: fileId !== undefined,
  })
}

/** Which of the folders has the file; undefined where none has it any more. */
export async function folderOfFile(
  fileId: string,
  folderIds: readonly string[],
): Promise<string | undefined> {
  for (const id of folderIds) {
    try {
      await box.files.read({ params: { id, fileId } })
      return id
    } catch (error) {
      if (!hasCode(error, "not_found")) throw error
    }
  }
  return undefined
}

/** A file's extracted text, in the pieces its parser made. */
export function useFileText(folderId: string, fileId: string) {
  return useQuery({
    queryKey: ["file-text", folderId, fileId],
    queryFn: async ({ signal }) => {
      const response = await box.files.text(
        { params: { id: folderId, fileId }, query: { format: "blocks" } },
        { signal },
      )
      return ((await response.json()) as { blocks: FileBlock[] }).blocks
    },
    gcTime: 60_000, // a large document isn't kept for long
  })
}

export function useRetryFile(folderId: string) {
  return useMutation({
    mutationFn: (fileId: string) => box.files.retry({ params: { id: folderId, fileId } }),
    onSuccess: () => refreshFiles(folderId),
  })
}

/** Queues some files once more; answers how many there were. */
export function useRetryFiles(folderId: string) {
  return useMutation({
    async mutationFn(fileIds: readonly string[]) {
      for (const fileId of fileIds) await box.files.retry({ params: { id: folderId, fileId } })
      return fileIds.length
    },
    onSettled: () => refreshFiles(folderId),
  })
}

/** Fetches a web page into the folder. */
export function useAddUrl(folderId: string) {
  return useMutation({
    mutationFn: (body: { url: string; refreshHours: number | null }) =>
      box.files.addUrl({ params: { id: folderId }, body }),
    onSuccess: () => refreshFiles(folderId),
  })
}

export async function updateFile(folderId: string, fileId: string, body: FilePatch): Promise<void> {
  const { file } = await box.files.update({ params: { id: folderId, fileId }, body })
  queryClient.setQueryData(["file", folderId, file.id], file)
  await refreshFiles(folderId)
}

export function useUpdateFile(folderId: string) {
  return useMutation({
    mutationFn: ({ fileId, patch }: { fileId: string; patch: FilePatch }) =>
      updateFile(folderId, fileId, patch),
  })
}

/** Queues all that failed once more; answers how many there were. */
export function useRetryFailedFiles(folderId: string) {
  return useMutation({
    mutationFn: async () => (await box.files.retryFailed({ params: { id: folderId } })).queued,
    onSettled: () => refreshFiles(folderId),
  })
}

/** Puts another file in a file's place; it keeps its id. */
export function useReplaceFile(folderId: string) {
  return useMutation({
    mutationFn: ({ fileId, file }: { fileId: string; file: File }) =>
      box.files.replace({
        params: { id: folderId, fileId },
        file,
        fileName: file.name,
        lastModified: lastModifiedOf(file),
      }),
    onSuccess: () => refreshFiles(folderId),
  })
}

export function useDeleteFile(folderId: string) {
  return useMutation({ mutationFn: (fileId: string) => deleteFile(folderId, fileId) })
}

export async function deleteFile(folderId: string, fileId: string): Promise<void> {
  await box.files.remove({ params: { id: folderId, fileId } })
  await refreshFiles(folderId)
}

/** Where the browser downloads the file itself. */
export const fileDownloadPath = (folderId: string, fileId: string): string =>
  `/api/public/vectors/${encodeURIComponent(folderId)}/files/${encodeURIComponent(fileId)}/content`
