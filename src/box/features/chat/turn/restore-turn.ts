import { AppError } from "../../../../shared/contract/errors.ts"
import type { ApprovalStore } from "../approvals/approval-store.ts"
import type { Parked } from "../approvals/parked-turn-store.ts"
import { openCallsOfAll } from "../approvals/parked-turn.ts"
import type { TranscriptStore } from "../transcript/transcript-store.ts"
import type { CheckDeps } from "./check-request.ts"
import type { Turn } from "./turn.ts"

export interface RestoreDeps extends Pick<CheckDeps, "assistant"> {
  transcript: Pick<TranscriptStore, "answer" | "history">
  approvalStore: ApprovalStore
}

/** A parked turn as it was when it was parked, with what its owner decided since. */
export async function restoreTurn(
  { transcript, approvalStore, ...deps }: RestoreDeps,
  { ownerId, messageId, turn }: Parked,
): Promise<Pick<Turn, "request" | "progress">> {
  const {
    assistantId,
    builtInTools,
    projectInstructions,
    vectorIds,
    modelId,
    boxAddress,
    origin,
    scopes,
    spent,
    sent,
    tasks,
  } = turn
  // One that is gone since leaves its turn without tools, but with an end.
  const assistant = assistantId === null ? null : await deps.assistant(ownerId, assistantId).catch(unusable)
  const { parts, labels } = await transcript.answer(messageId)
  return {
    request: {
      messages: await transcript.history(messageId),
      assistant,
      builtInTools,
      projectId: null,
      projectInstructions,
      namedVectorIds: [],
      vectorIds,
      askedFiles: null,
      // What was read is in its parts; tools, which can make a turn wait, aren't used where all is read.
      whole: null,
      modelId,
      boxAddress,
      origin,
      scopes,
      approvals: "wait",
      notices: [],
      modelFailure: null,
      delegation: null,
    },
    progress: {
      parts,
      labels,
      decisions: await approvalStore.decisions(messageId, openCallsOfAll(parts, tasks)),
      spent,
      sent: { addresses: new Set(sent.addresses), calls: sent.calls },
      tasks: new Map(Object.entries(tasks)),
    },
  }
}

function unusable(error: unknown): null {
  if (error instanceof AppError) return null
  throw error
}
