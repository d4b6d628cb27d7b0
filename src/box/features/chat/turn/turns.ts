import type { ChatRequest } from "../../../../shared/contract/chat.ts"
import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import { newId } from "../../../core/ids.ts"
import { lazy } from "../../../core/lazy.ts"
import { onBehalfOf } from "../../../core/async-context.ts"
import type { Caller } from "../../../http/caller.ts"
import type { ApprovalStore } from "../approvals/approval-store.ts"
import type { Parked } from "../approvals/parked-turns.ts"
import type { Run, Runs } from "../streams/runs.ts"
import type { ChatFiles } from "../tool-calls/chat-files.ts"
import { DeletedConversation } from "../transcript/append-turn.ts"
import type { AnswerRecord } from "../transcript/message-parts.ts"
import type { RetrievalStore } from "../transcript/retrieval-store.ts"
import { type TranscriptStore, markNotified, type AnswerKey } from "../transcript/transcript-store.ts"
import type { CheckDeps } from "./check-request.ts"
import { readAhead, type ReadAheadDeps } from "./prompt/prompt-prefix.ts"
import type { CutTurn } from "./resuming/cut-turns.ts"
import { createTurnRunner, type TurnRunnerDeps } from "./run-turn.ts"
import { noteReading, type StayingDeps } from "./stays-here.ts"
import type { FromQueue } from "./turn-store.ts"
import {
  type TurnIdentity,
  type TurnPorts,
  newProgress,
  type Turn,
  type TurnProgress,
  type TurnRequest,
} from "./turn.ts"

interface TurnPortsDeps extends StayingDeps {
  transcript: Pick<TranscriptStore, "history" | "attachments" | "noteRead" | "hasReadFolders">
  approvalStore: ApprovalStore
  retrievals: RetrievalStore
  files: Pick<ChatFiles, "keep">
}

const getIdentity = ({ ownerId, chatId, messageId }: Run): TurnIdentity => ({
  userId: ownerId,
  chatId,
  messageId,
  conversationKey: `${ownerId}/${chatId}`,
})

/** Returns what the turn of a run reads and stores. */
const turnPorts = (
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

export interface TurnsDeps
  extends TurnRunnerDeps, CheckDeps, ReadAheadDeps, Omit<TurnPortsDeps, "transcript"> {
  runs: Runs
  transcript: TranscriptStore
  /** Permanently removes a deleted chat that had this ID. */
  endDeletion(ownerId: string, chatId: string): Promise<void>
  /** Returns the IDs of users who may not use the box. */
  disabledIds(): Promise<string[]>
  /** Counts a new answer. Throws `quota_exceeded`. */
  countAnswer(userId: string): Promise<void>
  /** Calls `onEnd` when the credential ends, until disposed; immediately if it has already ended. */
  whileValid(credentialId: string, onEnd: () => void): Disposable
  /** Returns whether the API key was revoked. */
  isRevoked(keyId: string): Promise<boolean>
}

export interface Turns {
  /** Stores a question and starts its answer. Throws if the question is invalid; later failures are events of the stream. */
  begin(caller: Caller, request: ChatRequest, fromQueue?: FromQueue): Promise<Run>
  /** Resumes a turn whose calls are all decided. A null `caller` means that no one decided in time. */
  resume(parked: Parked, caller: Caller | null): Promise<void>
  /** Resumes an answer that was interrupted with the previous box. */
  goOn(turn: CutTurn): Promise<void>
  /** Settles when all ends of answers so far are announced. */
  announced(): Promise<unknown>
}

/** Runs turns from the question, or the last decision, to the stored answer. */
export function createTurns(deps: TurnsDeps): Turns {
  const { runs, transcript, turnStore } = deps
  const runTurn = createTurnRunner(deps)

  /** Revoking a key stops the answers it requested. Signing out doesn't: the answer is kept for its owner. */
  function startRun({ ownerId, chatId, messageId }: AnswerKey, keyId: string | null): Run {
    const run = runs.start(ownerId, chatId, messageId)
    if (keyId === null) return run
    const held = deps.whileValid(keyId, run.stop)
    void run.ended.then(() => held[Symbol.dispose]())
    return run
  }

  /** Stores the start of a run. If that fails, the run is removed. */
  async function storeOrDrop(run: Run, store: () => Promise<void>): Promise<void> {
    try {
      await store()
      // A user who was disabled while the run was starting wasn't covered by the earlier stop.
      if ((await deps.disabledIds()).includes(run.ownerId)) run.stop()
    } catch (error) {
      run.end("error")
      runs.drop(run)
      announceEnd(run)
      throw error
    }
  }

  function start(run: Run, request: TurnRequest, progress: TurnProgress, record?: AnswerRecord): void {
    const { ownerId: userId, chatId } = run
    const { assistant, scopes, vectorIds } = request
    const turn: Turn = { identity: getIdentity(run), request, progress, ports: turnPorts(deps, run) }
    void onBehalfOf({ userId, chatId, assistantId: assistant?.id ?? null }, () =>
      runTurn(run, turn, record),
    ).then((endNotification) => {
      announceEnd(run)
      if (endNotification !== null) {
        const announcing = announceUnattended(run, endNotification).finally(() =>
          announcements.delete(announcing),
        )
        announcements.add(announcing)
      }
      // The next chat with the assistant or about folders starts like this one; tools are chosen for each chat.
      readAhead(deps, { userId, scopes, assistant, builtInTools: {}, cites: vectorIds.length > 0 })
    })
  }

  const announceEnd = ({ ownerId, chatId }: Run) => deps.bus.publish("answer.ended", { ownerId, chatId })

  const announcements = new Set<Promise<void>>()

  async function announceUnattended(run: Run, status: "completed" | "error"): Promise<void> {
    const { ownerId, chatId } = run
    const coverage = run.events.find((event) => event.type === "coverage")
    try {
      const chat = await transcript.status(ownerId, chatId)
      if (!chat) return
      const { title } = chat
      const writeNotified = markNotified(run)
      deps.bus.publish("answer.unattended", { ownerId, chatId, title, status, coverage, writeNotified })
    } catch (error) {
      deps.logger.warn({ err: error, chatId }, "The end of an answer couldn't be announced")
    }
  }

  return {
    announced: () => Promise.all(announcements),

    async begin(caller, asked, fromQueue) {
      const { checkRequest } = await import("./check-request.ts")
      const checked = await checkRequest(deps, caller, asked)
      const isDryRun = fromQueue?.isDryRun === true || (await transcript.isDryRun(caller.userId, asked.id))
      const request: TurnRequest = isDryRun ? { ...checked, approvals: "dryRun" } : checked
      const keyId = getKey(caller)
      const answer = { ownerId: caller.userId, chatId: asked.id, messageId: newId() }
      const run = startRun(answer, keyId)
      const { ownerId, chatId, messageId: answerId, startedAt } = run
      const progress = newProgress()
      const newTurn = { messageId: answerId, request, progress, keyId }
      const store = async () => {
        const uploads = await deps.uploads(ownerId, chatId)
        const own = uploads.length === 0 ? null : await deps.getChatFolder(ownerId, chatId)
        const turn = {
          ownerId,
          chatId,
          answerId,
          origin: request.origin,
          vectorIds: [...request.namedVectorIds],
          readVectorIds: own === null ? request.vectorIds : [...request.vectorIds, own],
          assistantId: request.assistant?.id ?? null,
          projectId: request.projectId,
          modelId: asked.modelId ?? null,
          messages: request.messages,
          uploads,
          attachments: asked.attachments ?? null,
          askedFiles: request.askedFiles,
          quoted: fromQueue?.quoted ?? null,
          isDryRun,
          table: asked.table ?? null,
          builtInTools: request.assistant === null ? (asked.builtInTools ?? null) : null,
          startedAt,
        }
        for (const call of await turnStore.begin(turn, newTurn, fromQueue))
          deps.bus.publish("approval.decided", { ...call, outcome: "denied" })
      }
      await storeOrDrop(run, async () => {
        await deps.countAnswer(ownerId)
        await store().catch(async (error: unknown) => {
          if (!(error instanceof DeletedConversation)) throw error
          await deps.endDeletion(ownerId, chatId)
          await store()
        })
      })
      start(run, request, progress)
      return run
    },

    async resume(parked, caller) {
      const { restoreTurn } = await import("./restore-turn.ts")
      const { request, progress } = await restoreTurn(deps, parked)
      const keyId = getKey(caller)
      const run = startRun(parked, keyId)
      const newTurn = { messageId: run.messageId, request, progress, keyId }
      await storeOrDrop(run, async () => {
        if (!(await turnStore.resume(run, run.startedAt, newTurn)))
          throw new AppError("conflict", sentence("chat.goes_on_already"))
      })
      start(run, request, progress)
    },

    async goOn({ request, progress, record, keyId, ...answer }) {
      const run = startRun(answer, keyId)
      await storeOrDrop(run, async () => {
        if (keyId !== null && (await deps.isRevoked(keyId))) run.stop()
      })
      start(run, request, progress, record)
    },
  }
}

const getKey = (caller: Caller | null) => (caller?.via === "key" ? caller.credentialId : null)
