import { useEffect, useSyncExternalStore } from "react"
import { openChatFolder } from "../../../../data/chats/conversations.ts"
import { refreshFiles, useFilePages } from "../../../../data/folders/files.ts"
import type { FileEntry } from "../../../../../shared/contract/files.ts"
import { box, describeError } from "../../../../lib/box.ts"
import { lastModifiedOf } from "../../../../lib/browser/last-modified.ts"
import { createAttachmentStore, type Upload } from "./attachment-store.ts"
import { filesOfQuestion, type NewFiles, type ShownFile } from "./new-files.ts"

/** Files of this page's chats. */
export const attachments = createAttachmentStore({
  storage: localStorage,
  openFolder: openChatFolder,
  upload: async (folderId, file) => {
    await box.files.upload({
      params: { id: folderId },
      file,
      fileName: file.name,
      relativePath: file.name,
      lastModified: lastModifiedOf(file),
    })
    await refreshFiles(folderId)
  },
  describe: describeError,
})

interface Attachments {
  /** The chat's own folder, once it has one. */
  folderId: string | undefined
  uploads: readonly Upload[]
  files: FileEntry[]
}

/** The chat's own folder, as far as this browser knows. */
export const useOwnFolder = (chatId: string): string | undefined =>
  useSyncExternalStore(attachments.subscribe, () => attachments.folder(chatId))

/** What goes along with a question; none of very many files. */
export async function filesToAttach(chatId: string, wanted: NewFiles): Promise<ShownFile[]> {
  const folderId = attachments.folder(chatId)
  if (folderId === undefined) return []
  const query = { limit: mostListed, offset: 0 }
  const { files, total } = await box.files.list({ params: { id: folderId }, query })
  const attached = filesOfQuestion(files, wanted)
  return total > mostListed || attached.length > mostAttached ? [] : attached
}

const mostListed = 500
/** To one question. */
const mostAttached = 50

/** A chat's files: those on their way, and those in its folder with their state. */
export function useAttachments(chatId: string): Attachments {
  const uploads = useSyncExternalStore(attachments.subscribe, () => attachments.uploads(chatId))
  const folderId = useOwnFolder(chatId)
  const [page] = useFilePages(
    folderId ?? "",
    { search: "", status: undefined },
    folderId === undefined ? [] : [0],
  )
  return { folderId, uploads, files: page?.data?.files ?? [] }
}

/** Takes the one folder of a chat that is in nobody's list for the chat's own: another browser may have made it. */
export function useAdoptedFolder(chatId: string, unlistedId: string | undefined): void {
  useEffect(() => {
    if (unlistedId === undefined || attachments.folder(chatId) !== undefined) return
    box.folders.read({ params: { id: unlistedId } }).then(
      () => attachments.adopt(chatId, unlistedId),
      () => undefined, // it has been deleted
    )
  }, [chatId, unlistedId])
}
