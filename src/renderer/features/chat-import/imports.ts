import { useMutation, useQuery } from "@tanstack/react-query"
import { useSyncExternalStore } from "react"
import type { ChatImport } from "../../../shared/contract/chat-imports.ts"
import { refreshConversationList } from "../../data/chats/conversations.ts"
import { queryClient } from "../../data/query-client.ts"
import { box } from "../../lib/box.ts"
import { uploadingClient } from "../../lib/browser/uploading-client.ts"

interface SendingExport {
  /** The file being uploaded, and the share of it already sent, from 0 to 1. */
  sent: { name: string; share: number } | null
  /** Why the last upload failed. */
  error: unknown
}

const notSending: SendingExport = { sent: null, error: null }
let sending = notSending
let sendingAbort: AbortController | undefined
const sendingListeners = new Set<() => void>()

function setSending(next: SendingExport): void {
  sending = next
  for (const listener of sendingListeners) listener()
}

const warn = (event: BeforeUnloadEvent) => event.preventDefault()

/** Uploads an export for inspection, whichever screen is shown. Warns before the window is closed during the upload. */
async function sendExport(file: File, cacheImport: (one: ChatImport) => Promise<void>): Promise<void> {
  if (sending.sent) return
  const { signal } = (sendingAbort = new AbortController())
  const onShare = (share: number) => setSending({ sent: { name: file.name, share }, error: null })
  onShare(0)
  window.addEventListener("beforeunload", warn)
  try {
    const input = { file, fileName: file.name, query: { hold: "true" as const } }
    await cacheImport((await uploadingClient(onShare).chatImports.start(input, { signal })).import)
    setSending(notSending)
  } catch (error) {
    setSending({ sent: null, error: signal.aborted ? null : error })
  } finally {
    window.removeEventListener("beforeunload", warn)
  }
}

export const stopSending = (): void => sendingAbort?.abort()

export const useSendingExport = (): SendingExport => useSyncExternalStore(subscribeToSending, () => sending)

function subscribeToSending(listener: () => void) {
  sendingListeners.add(listener)
  return () => sendingListeners.delete(listener)
}

const importKey = ["chat-import"] as const
const progressMs = 400

export const isUnderWay = ({ status }: ChatImport): boolean =>
  status === "queued" || status === "checking" || status === "running"

/** The newest import, polled while it runs; null if there is none. */
export function useNewestImport() {
  return useQuery({
    queryKey: importKey,
    queryFn: async ({ signal }) => {
      const { import: newest } = await box.chatImports.newest({}, { signal })
      if (newest?.status === "completed" || newest?.status === "stopped") void refreshConversationList()
      return newest
    },
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data && isUnderWay(state.data) ? progressMs : false),
  })
}

/** Cancel a read in progress, because its result would be older. */
async function cacheImport(one: ChatImport): Promise<void> {
  await queryClient.cancelQueries({ queryKey: importKey })
  queryClient.setQueryData(importKey, one)
}

/** Uploads an export for inspection. */
export const uploadExport = (file: File): Promise<void> => sendExport(file, cacheImport)

const useStep = (step: (id: string) => Promise<{ import: ChatImport }>) =>
  useMutation({
    mutationFn: async (id: string) => (await step(id)).import,
    onSuccess: cacheImport,
    onError: () => void queryClient.invalidateQueries({ queryKey: importKey }),
  })

export const useConfirmImport = () => useStep((id) => box.chatImports.confirm({ params: { id } }))
export const useStopImport = () => useStep((id) => box.chatImports.stop({ params: { id } }))

type Skipped = ChatImport["skipped"][number]

export interface SkippedGroup {
  reason: Pick<Skipped, "reason" | "sentence">
  chats: Skipped[]
}

/** Groups the chats that weren't imported, or only in part, by reason. The most frequent reason comes first. */
export function skippedByReason(skipped: readonly Skipped[]): SkippedGroup[] {
  const chats = skipped.filter(({ number }) => number !== null)
  // Sentences with the same code but different figures belong to one group.
  const groups = Map.groupBy(chats, ({ reason, sentence }) => sentence?.code ?? reason)
  return [...groups.values()]
    .flatMap((some) => (some[0] ? [{ reason: some[0], chats: some }] : []))
    .toSorted((one, other) => other.chats.length - one.chats.length)
}

/** Returns why the import as a whole failed. */
export const getFailure = (skipped: readonly Skipped[]): Skipped | undefined =>
  skipped.findLast(({ number }) => number === null)
