import { useSyncExternalStore } from "react"
import type { ChatImport } from "../../../shared/contract/chat-imports.ts"
import { uploadingClient } from "../../lib/browser/uploading-client.ts"

interface SendingExport {
  /** The file being uploaded, and the share of it already sent, from 0 to 1. */
  sent: { name: string; share: number } | null
  /** Why the last upload failed. */
  error: unknown
}

const nothing: SendingExport = { sent: null, error: null }
let state = nothing
let aborting: AbortController | undefined
const listeners = new Set<() => void>()

function set(next: SendingExport): void {
  state = next
  for (const listener of listeners) listener()
}

const warn = (event: BeforeUnloadEvent) => event.preventDefault()

/** Uploads an export for inspection, whichever screen is shown. Warns before the window is closed during the upload. */
export async function sendExport(file: File, cacheImport: (one: ChatImport) => Promise<void>): Promise<void> {
  if (state.sent) return
  const { signal } = (aborting = new AbortController())
  const onShare = (share: number) => set({ sent: { name: file.name, share }, error: null })
  onShare(0)
  window.addEventListener("beforeunload", warn)
  try {
    const input = { file, fileName: file.name, query: { hold: "true" as const } }
    await cacheImport((await uploadingClient(onShare).chatImports.start(input, { signal })).import)
    set(nothing)
  } catch (error) {
    set({ sent: null, error: signal.aborted ? null : error })
  } finally {
    window.removeEventListener("beforeunload", warn)
  }
}

export const stopSending = (): void => aborting?.abort()

export const useSendingExport = (): SendingExport => useSyncExternalStore(subscribe, () => state)

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
