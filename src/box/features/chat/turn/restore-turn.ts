import { AppError } from "../../../../shared/contract/errors.ts"
import { type Parked, openCallsOfAll, type ParkedTurn } from "../approvals/parked-turns.ts"
import type { ApprovalStore } from "../approvals/approval-store.ts"
import type { TranscriptStore } from "../transcript/transcript-store.ts"
import { followsScopedKey, type ScopedKeyWords } from "./scoped-key-words.ts"
import type { ChatAssistant, Turn, TurnProgress, TurnRequest } from "./turn.ts"

/** Restores a parked turn in its stored state, with the decisions that its owner has made since. */
export async function restoreTurn(
  {
    box,
    transcript,
    approvalStore,
  }: {
    box: ScopedKeyWords["box"] & { assistant(userId: string, id: string): Promise<ChatAssistant | null> }
    transcript: Pick<TranscriptStore, "answer" | "history" | "isByScopedKey">
    approvalStore: Pick<ApprovalStore, "decisions">
  },
  { ownerId, chatId, messageId, turn }: Parked,
): Promise<Pick<Turn, "request" | "progress">> {
  const { assistantId, spent, sent, tasks, ...asked } = turn
  // If the assistant no longer exists, the turn continues without tools, so that it ends.
  const assistant = assistantId === null ? null : await box.assistant(ownerId, assistantId).catch(unusable)
  const { parts, labels } = await transcript.answer(messageId)
  // A key may have written something while the turn waited.
  const isByScopedKey =
    asked.isByScopedKey ||
    (await followsScopedKey({ box, transcript }, ownerId, chatId, {
      assistant,
      builtInTools: asked.builtInTools,
    }))
  return {
    request: getRequest({ ...asked, isByScopedKey }, assistant, await transcript.history(messageId)),
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

/** The stored part of a request, without the messages of its chat. */
type StoredRequest = Omit<ParkedTurn, "spent" | "sent" | "tasks">

/** Restores the request of a parked turn. */
export const getRequest = (
  stored: Omit<StoredRequest, "assistantId">,
  assistant: TurnRequest["assistant"],
  messages: TurnRequest["messages"],
): TurnRequest => ({
  ...stored,
  messages,
  assistant,
  projectId: null,
  namedVectorIds: [],
  askedFiles: null,
  // The texts that were read are in the answer's parts. Whole-document answers use no tools, so they never wait.
  whole: null,
  approvals: "wait",
  notices: [],
  modelFailure: null,
  delegation: null,
})

export const toStored = (request: TurnRequest): StoredRequest => ({
  assistantId: request.assistant?.id ?? null,
  builtInTools: { ...request.builtInTools },
  projectInstructions: request.projectInstructions,
  isByScopedKey: request.isByScopedKey,
  vectorIds: request.vectorIds,
  generated: request.generated === "all" ? "all" : [...request.generated],
  rewrite: request.rewrite,
  filter: request.filter,
  modelId: request.modelId,
  boxAddress: request.boxAddress,
  origin: request.origin,
  scopes: request.scopes === null ? null : [...request.scopes],
  isUnconfirmed: request.isUnconfirmed,
})

export const toSent = ({ addresses, calls }: TurnProgress["sent"]): ParkedTurn["sent"] => ({
  addresses: [...addresses],
  calls,
})

export const toParked = ({ request, progress: { spent, sent, tasks } }: Turn): ParkedTurn => ({
  ...toStored(request),
  spent,
  sent: toSent(sent),
  tasks: Object.fromEntries(tasks),
})

function unusable(error: unknown): null {
  if (error instanceof AppError) return null
  throw error
}
