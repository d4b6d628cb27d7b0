import { t } from "i18next"
import { getLastModified } from "../../../data/folders/files.ts"
import { describeError, hasCode } from "../../../lib/box.ts"
import { uploadingClient } from "../../../lib/browser/uploading-client.ts"

/** A file to upload and its path in the folder. */
export interface UploadItem {
  /** Path inside the folder, including the file name. */
  relativePath: string
  open: () => Promise<File>
}

/** Returns all dropped files, including those in directories, except hidden ones. No file is opened yet. */
export async function readDroppedFiles(entries: FileSystemEntry[]): Promise<UploadItem[]> {
  const items: UploadItem[] = []
  const waiting = [...entries]
  for (let entry = waiting.pop(); entry; entry = waiting.pop()) {
    if (isHidden(entry.name)) continue
    if (isDirectory(entry)) waiting.push(...(await readDirectory(entry)))
    else if (isFile(entry)) {
      const file = entry
      items.push({
        relativePath: file.fullPath.replace(/^\//, ""),
        open: () => new Promise((resolve, reject) => file.file(resolve, reject)),
      })
    }
  }
  return items.sort((a, b) => a.relativePath.localeCompare(b.relativePath))
}

/** Returns the entries of a drop. Must be called while the drop event is handled. */
export const droppedEntries = (transfer: DataTransfer): FileSystemEntry[] =>
  [...transfer.items].flatMap((item) => item.webkitGetAsEntry() ?? [])

/** Returns the files from a file chooser, except hidden ones in a chosen directory. */
export const chosenFiles = (files: Iterable<File>): UploadItem[] =>
  [...files]
    .map((file) => ({
      relativePath: file.webkitRelativePath || file.name,
      open: () => Promise.resolve(file),
    }))
    .filter(({ relativePath }) => !relativePath.split("/").some(isHidden))

const isHidden = (name: string): boolean => name.startsWith(".")

const isDirectory = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory
const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile

async function readDirectory(directory: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = directory.createReader()
  const entries: FileSystemEntry[] = []
  for (;;) {
    // A reader returns up to a hundred entries at a time, then none.
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (batch.length === 0) return entries
    entries.push(...batch)
  }
}

/** The last part of a path from any operating system, also inside quotes. It is the default name of a new folder. */
export const toFolderName = (path: string): string =>
  path
    .trim()
    .replaceAll(/^["']|["']$/g, "")
    .split(/[\\/]/)
    .findLast((segment) => segment !== "" && segment !== "~") ?? ""

export interface FailedUpload {
  folderId: string
  item: UploadItem
  reason: string
}

export interface UploadState {
  /** Number of drops still being scanned; their file count isn't known yet. */
  collecting: number
  total: number
  done: number
  /** The sent part of files in progress, measured in files: 1.5 is one and a half files. */
  underWay: number
  failed: readonly FailedUpload[]
}

interface UploadQueueDeps {
  /** Calls `onShare` with the share of the file that has been sent, from 0 to 1. */
  upload: (
    folderId: string,
    relativePath: string,
    file: File,
    onShare: (share: number) => void,
  ) => Promise<void>
  describe: (error: unknown) => string
  /** Whether a retry may succeed without any change. */
  isTemporary: (error: unknown) => boolean
  pause: () => Promise<void>
}

export interface UploadQueue {
  subscribe(listener: () => void): () => void
  getState(): UploadState
  /** Counts a scan for files in `collecting` until it settles. */
  collect<T>(looking: Promise<T>): Promise<T>
  add(folderId: string, items: UploadItem[]): void
  /** Finishes the uploads in progress and drops the rest. */
  stop(): void
  /** Sends the failed files again. */
  retryFailed(): void
  /** Clears the result when everything is done. */
  dismiss(): void
}

const maxConcurrent = 3
const attempts = 5
const emptyState: UploadState = { collecting: 0, total: 0, done: 0, underWay: 0, failed: [] }

/** Uploads files a few at a time, independent of the page shown. Each file is opened only when it is sent. */
export function createUploadQueue(deps: UploadQueueDeps): UploadQueue {
  const waiting: { folderId: string; item: UploadItem }[] = []
  const shares = new Map<UploadItem, number>()
  const listeners = new Set<() => void>()
  let state = emptyState

  function set(next: Partial<UploadState>): void {
    const underWay = [...shares.values()].reduce((sum, share) => sum + share, 0)
    state = { ...state, underWay, ...next }
    for (const listener of listeners) listener()
  }

  function start(): void {
    while (shares.size < maxConcurrent) {
      const next = waiting.shift()
      if (!next) return
      shares.set(next.item, 0)
      void send(next.folderId, next.item).then((reason) => {
        shares.delete(next.item)
        const failed = reason === undefined ? state.failed : [...state.failed, { ...next, reason }]
        set({ done: state.done + 1, failed })
        start()
      })
    }
  }

  /** Returns the reason if the upload failed. */
  async function send(folderId: string, item: UploadItem): Promise<string | undefined> {
    const onShare = (share: number) => {
      shares.set(item, share)
      set({})
    }
    for (let attempt = 1; ; attempt++) {
      try {
        await deps.upload(folderId, item.relativePath, await item.open(), onShare)
        return undefined
      } catch (error) {
        onShare(0)
        if (attempt === attempts || !deps.isTemporary(error)) return deps.describe(error)
        await deps.pause()
      }
    }
  }

  function enqueue(entries: readonly { folderId: string; item: UploadItem }[], base: UploadState): void {
    for (const { folderId, item } of entries) waiting.push({ folderId, item })
    set({ ...base, total: base.total + entries.length })
    start()
  }

  return {
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    getState: () => state,
    async collect(looking) {
      set({ collecting: state.collecting + 1 })
      try {
        return await looking
      } finally {
        set({ collecting: state.collecting - 1 })
      }
    },
    add(folderId, items) {
      const finished = state.done === state.total && state.failed.length === 0
      enqueue(
        items.map((item) => ({ folderId, item })),
        finished ? { ...emptyState, collecting: state.collecting } : state,
      )
    },
    stop() {
      const left = waiting.splice(0).length
      set({ total: state.total - left })
    },
    retryFailed() {
      const { failed } = state
      enqueue(failed, {
        ...state,
        total: state.total - failed.length,
        done: state.done - failed.length,
        failed: [],
      })
    },
    dismiss() {
      if (state.done === state.total) set({ ...emptyState, collecting: state.collecting })
    },
  }
}

/** The page's uploads. */
export const uploads = createUploadQueue({
  upload: async (folderId, relativePath, file, onShare) => {
    const { files } = uploadingClient(onShare)
    const lastModified = getLastModified(file)
    await files.upload({ params: { id: folderId }, file, fileName: file.name, relativePath, lastModified })
  },
  describe: (error) =>
    error instanceof DOMException ? t("folders:upload.unreadable") : describeError(error),
  isTemporary: (error) => hasCode(error, "unavailable") || hasCode(error, "rate_limited"),
  pause: () => new Promise((resolve) => setTimeout(resolve, 2000)),
})
