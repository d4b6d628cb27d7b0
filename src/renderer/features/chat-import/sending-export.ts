import { useSyncExternalStore } from "react"
import type { ChatImport } from "../../../shared/contract/chat-imports.ts"
import { uploadingClient } from "../../lib/browser/uploading-client.ts"

interface SendingExport {
  /** The file that is being sent to the box, and how much of it has left, 0 to 1. */
  sent: { name: string; share: number } | null
  /** Why the last one couldn't be sent. */
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

/** Sends an export to be looked at, whatever screen is shown. Warns before the window is closed in the middle. */
export async function sendExport(file: File, know: (one: ChatImport) => Promise<void>): Promise<void> {
  if (state.sent) return
  const { signal } = (aborting = new AbortController())
  const onShare = (share: number) => set({ sent: { name: file.name, share }, error: null })
  onShare(0)
  window.addEventListener("beforeunload", warn)
  try {
    const input = { file, fileName: file.name, query: { hold: "true" as const } }
    await know((await uploadingClient(onShare).chatImports.start(input, { signal })).import)
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
