import { useEffect, useSyncExternalStore } from "react"
import { openChatFolder } from "../../../../data/chats/conversations.ts"
import { refreshFiles, useFilePages, getLastModified } from "../../../../data/folders/files.ts"
import type { FileEntry } from "../../../../../shared/contract/files.ts"
import { box, describeError } from "../../../../lib/box.ts"
import {
  createAttachmentStore,
  type Upload,
  pickQuestionFiles,
  type NewFiles,
  type ShownFile,
} from "./attachment-store.ts"

/** Attachments of the chats in this page. */
export const attachments = createAttachmentStore({
  storage: localStorage,
  openFolder: openChatFolder,
  upload: async (folderId, file) => {
    await box.files.upload({
      params: { id: folderId },
      file,
      fileName: file.name,
      relativePath: file.name,
      lastModified: getLastModified(file),
    })
    await refreshFiles(folderId)
  },
  describe: describeError,
})

interface Attachments {
  /** The chat's own folder, if it already has one. */
  folderId: string | undefined
  uploads: readonly Upload[]
  files: FileEntry[]
}

/** The chat's own folder, as far as this browser knows. */
export const useOwnFolder = (chatId: string): string | undefined =>
  useSyncExternalStore(attachments.subscribe, () => attachments.folder(chatId))

/** Returns the files to send with a question. Returns none if there are too many. */
export async function filesToAttach(chatId: string, wanted: NewFiles): Promise<ShownFile[]> {
  const folderId = attachments.folder(chatId)
  if (folderId === undefined) return []
  const query = { limit: maxListed, offset: 0 }
  const { files, total } = await box.files.list({ params: { id: folderId }, query })
  const attached = pickQuestionFiles(files, wanted)
  return total > maxListed || attached.length > maxAttached ? [] : attached
}

const maxListed = 500
/** Maximum attachments of one question. */
const maxAttached = 50

/** A chat's files: uploads in progress, and the files in its folder with their state. */
export function useAttachments(chatId: string): Attachments {
  const uploads = useSyncExternalStore(attachments.subscribe, () => attachments.uploads(chatId))
  const folderId = useOwnFolder(chatId)
  const [page] = useFilePages(
    folderId ?? "",
    { search: "", state: undefined },
    folderId === undefined ? [] : [0],
  )
  return { folderId, uploads, files: page?.data?.files ?? [] }
}

/** Uses a chat's only unlisted folder as its own folder, because another browser may have created it. */
export function useAdoptedFolder(chatId: string, unlistedId: string | undefined): void {
  useEffect(() => {
    if (unlistedId === undefined || attachments.folder(chatId) !== undefined) return
    box.folders.read({ params: { id: unlistedId } }).then(
      () => attachments.adopt(chatId, unlistedId),
      () => undefined, // the folder has been deleted
    )
  }, [chatId, unlistedId])
}
