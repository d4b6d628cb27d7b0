import { lazy } from "../../../core/lazy.ts"
import type { ApprovalStore } from "../approvals/approval-store.ts"
import type { Run } from "../streams/run.ts"
import type { ChatFiles } from "../tool-calls/chat-files.ts"
import type { RetrievalStore } from "../transcript/retrieval-store.ts"
import type { TranscriptStore } from "../transcript/transcript-store.ts"
import { noteReading, type StayingDeps } from "./stays-here.ts"
import type { TurnIdentity, TurnPorts } from "./turn.ts"

export interface TurnPortsDeps extends StayingDeps {
  transcript: Pick<TranscriptStore, "history" | "attachments" | "noteRead" | "hasReadFolders">
  approvalStore: ApprovalStore
  retrievals: RetrievalStore
  files: Pick<ChatFiles, "keep">
}

export const getIdentity = ({ ownerId, chatId, messageId }: Run): TurnIdentity => ({
  userId: ownerId,
  chatId,
  messageId,
  conversationKey: `${ownerId}/${chatId}`,
})

/** Returns what the turn of a run reads and stores. */
export const turnPorts = (
  { transcript, approvalStore, retrievals, files, ...deps }: TurnPortsDeps,
  { ownerId, chatId, messageId }: Run,
): TurnPorts => ({
  staysHere: (vectorIds) =>
    noteReading({ ...deps, noteRead: transcript.noteRead }, { userId: ownerId, chatId, vectorIds }),
  hasReadFolders: () => transcript.hasReadFolders(ownerId, chatId),
  history: () => transcript.history(messageId),
  attachments: lazy(() => transcript.attachments(messageId)),
  rememberedTools: () => approvalStore.remembered(ownerId, chatId),
  storeRetrieval: (retrieval) => retrievals.keep(messageId, retrieval),
  storeFile: (file, toolCallId) => files.keep(ownerId, chatId, toolCallId, file),
})
