import { useMutation, useQueries, useQuery } from "@tanstack/react-query"
import type {
  Completeness,
  FileBlock,
  FileEntry,
  FilePatch,
  FileSort,
  FileStatus,
} from "../../../shared/contract/files.ts"
import type { SocketMessage } from "../../../shared/contract/socket.ts"
import { box, hasCode } from "../../lib/box.ts"
import { refreshEstimates } from "../chats/reading.ts"
import { editQueries, queryClient } from "../query-client.ts"
import { refreshFolder } from "./folders.ts"

/** A file's modification time for uploads, in whole ms. Browsers may report fractions, and dates before 1970. */
export const getLastModified = (file: File): string => String(Math.max(0, Math.round(file.lastModified)))

const filesKey = (folderId: string) => ["files", folderId] as const

export const filePageSize = 200

/** A status, or how much of a file is in the index. `failed` is a part of `none`. */
export type FileStateFilter = FileStatus | Completeness

/** Typed out, because the schema would add Zod to the page's first load. */
const isCompleteness = (state: FileStateFilter): state is Completeness =>
  state === "whole" || state === "partial" || state === "none"

export interface FileFilter {
  search: string
  /** Lists only files in this state. */
  state: FileStateFilter | undefined
  /** Default: in the order in which the files were added. */
  sort?: { by: FileSort; order: "asc" | "desc" } | undefined
}

interface FilePage {
  total: number
  offset: number
  files: FileEntry[]
}

const createPageQuery = (folderId: string, filter: FileFilter, page: number) => ({
  queryKey: [...filesKey(folderId), filter, page],
  queryFn: ({ signal }: { signal: AbortSignal }): Promise<FilePage> =>
    box.files.list(
      {
        params: { id: folderId },
        query: {
          limit: filePageSize,
          offset: page * filePageSize,
          ...(filter.search === "" ? {} : { search: filter.search }),
          ...(filter.state !== undefined &&
            (isCompleteness(filter.state) ? { completeness: filter.state } : { status: filter.state })),
          ...(filter.sort && { sort: filter.sort.by, order: filter.sort.order }),
        },
      },
      { signal },
    ),
})

/** The pages of a folder's file list that contain the rows on screen. */
export function useFilePages(folderId: string, filter: FileFilter, pages: number[]) {
  return useQueries({ queries: pages.map((page) => createPageQuery(folderId, filter, page)) })
}

/** Returns the files of a range of list rows, including the last row. Loads only pages that aren't cached. */
export async function loadFilesOfRows(
  folderId: string,
  filter: FileFilter,
  first: number,
  last: number,
): Promise<FileEntry[]> {
  const files: FileEntry[] = []
  const firstPage = Math.floor(first / filePageSize)
  for (let page = firstPage; page * filePageSize <= last; page++)
    files.push(
      ...(await queryClient.fetchQuery({ ...createPageQuery(folderId, filter, page), staleTime: Infinity }))
        .files,
    )
  const skipped = firstPage * filePageSize
  return files.slice(first - skipped, last - skipped + 1)
}

/** A file with its folder's ID. */
export type FileOfFolder = FileEntry & { vectorId: string }

/** The first indexed files in these folders whose names match. */
export function useMatchingFiles(folderIds: readonly string[], search: string): FileOfFolder[] | undefined {
  const { data } = useQuery({
    queryKey: ["matching-files", folderIds, search],
    queryFn: async ({ signal }) => {
      const query = {
        limit: maxMatching,
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
const maxMatching = 50

/** Reloads a folder's file list, counts and reading estimate. */
export async function refreshFiles(folderId: string): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: filesKey(folderId) }),
    refreshFolder(folderId),
    refreshEstimates(),
  ])
}

/** Writes news about files into the lists that show them. Returns true if a list must be reloaded. */
export function applyFileMessages(folderId: string, messages: FileMessage[]): boolean {
  const newest = new Map(
    messages.flatMap((message) => (message.type === "file" ? [[message.file.id, message.file]] : [])),
  )
  for (const [id, file] of newest) {
    queryClient.setQueryData<FileEntry>(["file", folderId, id], (known) => known && file)
    if (isSettled(file)) invalidateDocument(folderId, id)
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

/** Whether the file is neither queued nor being read. */
export const isSettled = ({ status }: FileEntry): boolean => status !== "queued" && status !== "processing"

/** Reloads a document on screen that has changed. */
function invalidateDocument(folderId: string, fileId: string): void {
  for (const part of ["file-text", "file-pages", "file-overview"])
    void queryClient.invalidateQueries({ queryKey: [part, folderId, fileId] })
}

/** One file. Sends no request without an ID. */
export function useFile(folderId: string, fileId: string | undefined) {
  return useQuery({
    queryKey: ["file", folderId, fileId],
    queryFn: async ({ signal }) =>
      (await box.files.read({ params: { id: folderId, fileId: fileId ?? "" } }, { signal })).file,
    enabled: fileId !== undefined,
  })
}

/** Returns the folder that contains the file, or undefined if none does any more. */
export async function findFolderOfFile(
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

/** A file's extracted text, in the blocks that its parser produced. */
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
    gcTime: 60_000, // don't cache a large document for long
  })
}

export function useRetryFile(folderId: string) {
  return useMutation({
    mutationFn: (fileId: string) => box.files.retry({ params: { id: folderId, fileId } }),
    onSuccess: () => refreshFiles(folderId),
  })
}

/** Queues files again. Returns how many were queued. */
export function useRetryFiles(folderId: string) {
  return useMutation({
    async mutationFn(fileIds: readonly string[]) {
      for (const fileId of fileIds) await box.files.retry({ params: { id: folderId, fileId } })
      return fileIds.length
    },
    onSettled: () => refreshFiles(folderId),
  })
}

/** Downloads a web page into the folder. */
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

/** Queues all failed files again. Returns how many were queued. */
export function useRetryFailedFiles(folderId: string) {
  return useMutation({
    mutationFn: async () => (await box.files.retryFailed({ params: { id: folderId } })).queued,
    onSettled: () => refreshFiles(folderId),
  })
}

/** Replaces a file's content. The file keeps its ID. */
export function useReplaceFile(folderId: string) {
  return useMutation({
    mutationFn: ({ fileId, file }: { fileId: string; file: File }) =>
      box.files.replace({
        params: { id: folderId, fileId },
        file,
        fileName: file.name,
        lastModified: getLastModified(file),
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

/** The address from which the browser downloads the file. */
export const fileDownloadPath = (folderId: string, fileId: string): string =>
  `/api/public/vectors/${encodeURIComponent(folderId)}/files/${encodeURIComponent(fileId)}/content`

/** Files whose pages the box can render: PDF files and images. */
export const hasPages = (fileName: string): boolean => /\.(pdf|png|jpe?g|gif|webp|bmp|tiff?)$/i.test(fileName)

/** Files that browsers can show as images. */
export const isPicture = (fileName: string): boolean => /\.(png|jpe?g|gif|webp|bmp)$/i.test(fileName)

/** Sizes of a file's pages. */
export const useFilePageSizes = (folderId: string, fileId: string) =>
  useQuery({
    queryKey: ["file-pages", folderId, fileId],
    queryFn: async ({ signal }) =>
      (await box.files.pages({ params: { id: folderId, fileId } }, { signal })).pages,
    retry: false,
  })

/** Address of a page's image; `width` is in screen pixels. */
export function filePagePath(folderId: string, fileId: string, page: number, width: number): string {
  const bounded = Math.min(2400, Math.max(100, Math.round(width)))
  return `/api/public/vectors/${encodeURIComponent(folderId)}/files/${encodeURIComponent(fileId)}/pages/${page}?width=${bounded}`
}
