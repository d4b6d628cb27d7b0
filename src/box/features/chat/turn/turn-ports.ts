import type { ApprovalStore } from "../approvals/approval-store.ts"
import type { Run } from "../streams/run.ts"
import type { ChatFiles } from "../tool-calls/chat-files.ts"
import type { RetrievalStore } from "../transcript/retrieval-store.ts"
import type { TranscriptStore } from "../transcript/transcript-store.ts"
import type { TurnIdentity, TurnPorts } from "./turn.ts"

export interface TurnPortsDeps {
  transcript: Pick<TranscriptStore, "history">
  approvalStore: ApprovalStore
  retrievals: RetrievalStore
  files: Pick<ChatFiles, "keep">
}

export const identityOf = ({ ownerId, chatId }: Run): TurnIdentity => ({
  userId: ownerId,
  chatId,
  conversationKey: `${ownerId}/${chatId}`,
})

/** What the turn of a run reads and stores. */
export const turnPorts = (
  { transcript, approvalStore, retrievals, files }: TurnPortsDeps,
  { ownerId, chatId, messageId }: Run,
): TurnPorts => ({
  history: () => transcript.history(messageId),
  rememberedTools: () => approvalStore.remembered(ownerId, chatId),
  keepRetrieval: (retrieval) => retrievals.keep(messageId, retrieval),
  keepFile: (file, toolCallId) => files.keep(ownerId, chatId, toolCallId, file),
})
