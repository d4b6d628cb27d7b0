import { t } from "i18next"
import type { Attachment } from "../../../../../shared/contract/chat.ts"
import type { FileEntry } from "../../../../../shared/contract/files.ts"
import { isPicture } from "../../../../data/folders/files.ts"
import { formatPercent } from "../../../../lib/words/format.ts"
import { getReason } from "../../../../lib/words/sentence.ts"

/** Returns the files in a paste. Office programs add an image of copied text; in that case only the text is wanted. */
export function pastedFiles(pasted: Pick<DataTransfer, "files" | "getData">): File[] {
  const files = [...pasted.files]
  const isRendering =
    files.every(({ type }) => type.startsWith("image/")) && pasted.getData("text/rtf") !== ""
  return isRendering ? [] : files
}

/** Describes the progress of a chat's file, or what can't be read of it. Undefined if it is fine. */
export function fileState(file: FileEntry): string | undefined {
  const { status, progress } = file
  if (status === "queued") return t("chat:attach.queued")
  if (status === "processing") return t("chat:attach.indexing", { share: formatPercent(progress / 100) })
  // A model may still be able to see an image without text.
  const isWordless = isPicture(file.name) && file.reasons?.every(({ code }) => code === "no_text")
  return (isWordless === true ? undefined : getReason(file)) ?? undefined
}

/** A file being uploaded to a chat's own folder. After the upload, the folder's file list contains it. */
export interface Upload {
  id: number
  file: File
  /** Why the upload failed; undefined while it is in progress. */
  failure: string | undefined
  /** The project of its chat, or of the chat to be created. */
  projectId: string | undefined
}

interface AttachmentDeps {
  storage: Pick<Storage, "getItem" | "setItem">
  /** Returns the chat's own folder, and creates it if needed. */
  openFolder: (chatId: string, projectId?: string) => Promise<string>
  upload: (folderId: string, file: File) => Promise<void>
  describe: (error: unknown) => string
}

interface AttachmentStore {
  subscribe(listener: () => void): () => void
  uploads(chatId: string): readonly Upload[]
  /** Returns the folder with the chat's files, as far as this browser knows. */
  folder(chatId: string): string | undefined
  /** Records a folder that was created elsewhere. */
  adopt(chatId: string, folderId: string): void
  add(chatId: string, files: File[], projectId?: string): void
  retry(chatId: string, id: number): void
  dismiss(chatId: string, id: number): void
  /** Settles when none of the chat's files is being uploaded any more. */
  settled(chatId: string): Promise<void>
}

const storageKey = "chat-folders"
const none: readonly Upload[] = []
/** Maximum folders remembered. Those of older chats are named in their messages. */
const maxKept = 1_000

/** Uploads files to the chats' own folders, one at a time. */
export function createAttachmentStore(deps: AttachmentDeps): AttachmentStore {
  const listeners = new Set<() => void>()
  const uploads = new Map<string, readonly Upload[]>()
  const lines = new Map<string, Promise<void>>()
  const folders = new Map<string, string>(readFolders())
  let nextId = 1

  function readFolders(): [string, string][] {
    try {
      return Object.entries(JSON.parse(deps.storage.getItem(storageKey) ?? "{}") as Record<string, string>)
    } catch {
      return []
    }
  }

  function set(chatId: string, next: readonly Upload[]): void {
    if (next.length === 0) uploads.delete(chatId)
    else uploads.set(chatId, next)
    for (const listener of listeners) listener()
  }

  const of = (chatId: string) => uploads.get(chatId) ?? none

  function rememberFolder(chatId: string, folderId: string): void {
    folders.delete(chatId)
    folders.set(chatId, folderId)
    for (const oldest of folders.keys()) if (folders.size > maxKept) folders.delete(oldest)
    deps.storage.setItem(storageKey, JSON.stringify(Object.fromEntries(folders)))
  }

  /** Requests the folder each time, because the box removes folders of chats that don't start within some time. */
  async function folderFor(chatId: string, projectId: string | undefined): Promise<string> {
    const folderId = await deps.openFolder(chatId, projectId)
    rememberFolder(chatId, folderId)
    return folderId
  }

  async function send(chatId: string, { id, file, projectId }: Upload): Promise<void> {
    if (!of(chatId).some((upload) => upload.id === id)) return
    try {
      await deps.upload(await folderFor(chatId, projectId), file)
      set(
        chatId,
        of(chatId).filter((upload) => upload.id !== id),
      )
    } catch (error) {
      const failure = deps.describe(error)
      set(
        chatId,
        of(chatId).map((upload) => (upload.id === id ? { ...upload, failure } : upload)),
      )
    }
  }

  function queue(chatId: string, upload: Upload): void {
    const before = lines.get(chatId) ?? Promise.resolve()
    lines.set(
      chatId,
      before.then(() => send(chatId, upload)),
    )
  }

  return {
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    uploads: of,
    folder: (chatId) => folders.get(chatId),
    adopt(chatId, folderId) {
      rememberFolder(chatId, folderId)
      set(chatId, of(chatId))
    },
    add(chatId, files, projectId) {
      const added = files.map((file): Upload => ({ id: nextId++, file, failure: undefined, projectId }))
      set(chatId, [...of(chatId), ...added])
      for (const upload of added) queue(chatId, upload)
    },
    retry(chatId, id) {
      const failed = of(chatId).find((upload) => upload.id === id)
      if (!failed) return
      const again = { ...failed, failure: undefined }
      set(
        chatId,
        of(chatId).map((upload) => (upload.id === id ? again : upload)),
      )
      queue(chatId, again)
    },
    dismiss: (chatId, id) =>
      set(
        chatId,
        of(chatId).filter((upload) => upload.id !== id),
      ),
    settled: (chatId) => lines.get(chatId) ?? Promise.resolve(),
  }
}

/** A message's file, with only the properties that are shown. */
export type ShownFile = Pick<Attachment, "fileId" | "name">

export interface NewFiles {
  /** When the newest stored message was written; undefined if there is none. */
  since: string | undefined
  /** Files of the message being edited. */
  own: readonly string[]
  /** Files of visible messages and of queued questions. */
  taken: ReadonlySet<string>
}

/** Returns the files to send with a question: those added since the newest message, and those the question already had. */
export const pickQuestionFiles = (files: readonly FileEntry[], wanted: NewFiles): ShownFile[] =>
  files
    .filter((file) => wanted.own.includes(file.id) || isNew(file, wanted))
    .map(({ id, name }) => ({ fileId: id, name }))

/** Whether a file was added since the newest message and belongs to no question yet. */
export const isNew = (
  { id, createdAt }: Pick<FileEntry, "id" | "createdAt">,
  { since, taken }: Pick<NewFiles, "since" | "taken">,
): boolean => !taken.has(id) && (since === undefined || createdAt > since)

/**
 * Returns the files of a list without the one that is still shown as an upload: the list may contain it before its upload is answered.
 * Uploads are sent one after the other. The stored name may differ, so a file is recognised by its size and extension.
 */
export function withoutUpload<Entry extends Pick<FileEntry, "name" | "size" | "createdAt">>(
  files: readonly Entry[],
  uploads: readonly Upload[],
): readonly Entry[] {
  const sent = uploads.find(({ failure }) => failure === undefined)?.file
  if (sent === undefined) return files
  const extension = /\.[^.]*$/.exec(sent.name)?.[0] ?? ""
  const twin = files
    .filter(({ name, size }) => size === sent.size && name.endsWith(extension))
    .reduce<Entry | undefined>(
      (newest, file) => (newest && newest.createdAt > file.createdAt ? newest : file),
      undefined,
    )
  return files.filter((file) => file !== twin)
}
