import type { UploadItem } from "./read-dropped-files.ts"

export interface FailedUpload {
  folderId: string
  item: UploadItem
  reason: string
}

export interface UploadState {
  total: number
  done: number
  failed: readonly FailedUpload[]
}

interface UploadQueueDeps {
  upload: (folderId: string, relativePath: string, file: File) => Promise<void>
  describe: (error: unknown) => string
  /** Whether sending again may help without anybody changing anything. */
  isTemporary: (error: unknown) => boolean
  pause: () => Promise<void>
}

export interface UploadQueue {
  subscribe(listener: () => void): () => void
  getState(): UploadState
  add(folderId: string, items: UploadItem[]): void
  /** Sends what failed once more. */
  retryFailed(): void
  /** Forgets the result once all is done. */
  dismiss(): void
}

const atOnce = 3
const attempts = 5
const nothing: UploadState = { total: 0, done: 0, failed: [] }

/** Sends files a few at a time, whatever screen is shown. Files are opened one by one, not all at once. */
export function createUploadQueue(deps: UploadQueueDeps): UploadQueue {
  const waiting: { folderId: string; item: UploadItem }[] = []
  const listeners = new Set<() => void>()
  let state = nothing
  let running = 0

  function set(next: UploadState): void {
    state = next
    for (const listener of listeners) listener()
  }

  function start(): void {
    while (running < atOnce) {
      const next = waiting.shift()
      if (!next) return
      running++
      void send(next.folderId, next.item).then((reason) => {
        running--
        const failed = reason === undefined ? state.failed : [...state.failed, { ...next, reason }]
        set({ ...state, done: state.done + 1, failed })
        start()
      })
    }
  }

  /** The reason when it failed. */
  async function send(folderId: string, item: UploadItem): Promise<string | undefined> {
    for (let attempt = 1; ; attempt++) {
      try {
        await deps.upload(folderId, item.relativePath, await item.open())
        return undefined
      } catch (error) {
        if (attempt === attempts || !deps.isTemporary(error)) return deps.describe(error)
        await deps.pause()
      }
    }
  }

  function enqueue(entries: { folderId: string; item: UploadItem }[], base: UploadState): void {
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
    add(folderId, items) {
      const finished = state.done === state.total && state.failed.length === 0
      enqueue(
        items.map((item) => ({ folderId, item })),
        finished ? nothing : state,
      )
    },
    retryFailed() {
      const { failed } = state
      enqueue([...failed], {
        total: state.total - failed.length,
        done: state.done - failed.length,
        failed: [],
      })
    },
    dismiss() {
      if (state.done === state.total) set(nothing)
    },
  }
}
