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

export interface AttachmentStore {
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
