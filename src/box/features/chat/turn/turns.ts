import type { ChatRequest } from "../../../../shared/contract/chat.ts"
import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import { newId } from "../../../core/ids.ts"
import { lazy } from "../../../core/lazy.ts"
import { onBehalfOf } from "../../../core/async-context.ts"
import { hasFullRights, type Caller } from "../../../http/caller.ts"
import type { Parked } from "../approvals/parked-turns.ts"
import type { Run } from "../streams/runs.ts"
import { DeletedConversation } from "../transcript/append-turn.ts"
import type { AnswerRecord } from "../transcript/message-parts.ts"
import { markNotified, type AnswerKey } from "../transcript/transcript-store.ts"
import { readAhead } from "./prompt/prompt-prefix.ts"
import type { CutTurn } from "./resuming/interrupted-turns.ts"
import type { NewUnfinishedTurn } from "./resuming/unfinished-turns.ts"
import { createTurnRunner, type RunTurn } from "./run-turn.ts"
import { noteReading } from "./staying-chats.ts"
import type { TurnDeps } from "./turn-deps.ts"
import type { FromQueue } from "./turn-store.ts"
import { type TurnIdentity, type TurnPorts, newProgress, type Turn, type TurnRequest } from "./turn.ts"

const getIdentity = ({ ownerId, chatId, messageId }: Run): TurnIdentity => ({
  userId: ownerId,
  chatId,
  messageId,
  conversationKey: `${ownerId}/${chatId}`,
})

/** Returns what the turn of a run reads and stores. */
function turnPorts(deps: TurnDeps, { ownerId, chatId, messageId }: Run): TurnPorts {
  const { transcript, approvalStore, keepRetrieval, files } = deps
  return {
    staysHere: (vectorIds) => noteReading(deps, { userId: ownerId, chatId, vectorIds }),
    hasReadFolders: () => transcript.hasReadFolders(ownerId, chatId),
    history: () => transcript.history(messageId),
    attachments: lazy(() => transcript.attachments(messageId)),
    rememberedTools: () => approvalStore.remembered(ownerId, chatId),
    storeRetrieval: (retrieval) => keepRetrieval(messageId, retrieval),
    storeFile: (file, toolCallId) => files.keep(ownerId, chatId, toolCallId, file),
  }
}

export interface Turns {
  /** Stores a question and starts its answer. Throws if the question is invalid; later failures are events of the stream. */
  begin(caller: Caller, request: ChatRequest, fromQueue?: FromQueue): Promise<Run>
  /** Resumes a turn whose calls are all decided. A null `caller` means that no one decided in time. */
  resume(parked: Parked, caller: Caller | null): Promise<void>
  /** Resumes an answer that was interrupted with the previous box. */
  resumeInterrupted(turn: CutTurn): Promise<void>
  /** Settles when all ends of answers so far are announced. */
  announced(): Promise<unknown>
}

/** Runs turns from the question, or the last decision, to the stored answer. */
export const createTurns = (deps: TurnDeps): Turns => new TurnService(deps)

class TurnService implements Turns {
  readonly #deps: TurnDeps
  readonly #runTurn: RunTurn
  /** Announcements of ended answers that are being made. */
  readonly #announcements = new Set<Promise<void>>()

  constructor(deps: TurnDeps) {
    this.#deps = deps
    this.#runTurn = createTurnRunner(deps)
  }

  announced(): Promise<unknown> {
    return Promise.all(this.#announcements)
  }

  async begin(caller: Caller, asked: ChatRequest, fromQueue?: FromQueue): Promise<Run> {
    const { box, transcript } = this.#deps
    const { checkRequest } = await import("./check-request.ts")
    const checked = await checkRequest(this.#deps, caller, asked)
    const isDryRun = fromQueue?.isDryRun === true || (await transcript.isDryRun(caller.userId, asked.id))
    const request: TurnRequest = isDryRun ? { ...checked, approvals: "dryRun" } : checked
    const keyId = getKey(caller)
    const run = this.#startRun({ ownerId: caller.userId, chatId: asked.id, messageId: newId() }, keyId)
    const newTurn = { messageId: run.messageId, request, progress: newProgress(), keyId }
    const store = () => this.#storeQuestion(run, asked, newTurn, fromQueue)
    await this.#storeOrDrop(run, async () => {
      await box.countAnswer(run.ownerId)
      await store().catch(async (error: unknown) => {
        if (!(error instanceof DeletedConversation)) throw error
        await box.endDeletion(run.ownerId, run.chatId)
        await store()
      })
    })
    this.#start(run, newTurn)
    return run
  }

  async resume(parked: Parked, caller: Caller | null): Promise<void> {
    const { restoreTurn } = await import("./restore-turn.ts")
    const { request, progress } = await restoreTurn(this.#deps, parked)
    const keyId = getKey(caller)
    const run = this.#startRun(parked, keyId)
    const newTurn = { messageId: run.messageId, request, progress, keyId }
    await this.#storeOrDrop(run, async () => {
      if (!(await this.#deps.turnStore.resume(run, run.startedAt, newTurn)))
        throw new AppError("conflict", sentence("chat.goes_on_already"))
    })
    this.#start(run, newTurn)
  }

  async resumeInterrupted(turn: CutTurn): Promise<void> {
    const { keyId, record } = turn
    const run = this.#startRun(turn, keyId)
    await this.#storeOrDrop(run, async () => {
      if (keyId !== null && (await this.#deps.box.isRevoked(keyId))) run.stop()
    })
    this.#start(run, turn, record)
  }

  /** Revoking a key stops the answers it requested. Signing out doesn't: the answer is kept for its owner. */
  #startRun({ ownerId, chatId, messageId }: AnswerKey, keyId: string | null): Run {
    const run = this.#deps.runs.start(ownerId, chatId, messageId)
    if (keyId === null) return run
    const held = this.#deps.box.whileValid(keyId, run.stop)
    void run.ended.then(() => held[Symbol.dispose]())
    return run
  }

  async #storeQuestion(
    { ownerId, chatId, messageId: answerId, startedAt }: Run,
    asked: ChatRequest,
    newTurn: NewUnfinishedTurn,
    fromQueue: FromQueue | undefined,
  ): Promise<void> {
    const { box, turnStore } = this.#deps
    const { request } = newTurn
    const uploads = await box.uploads(ownerId, chatId)
    const own = uploads.length === 0 ? null : await box.getChatFolder(ownerId, chatId)
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
      filter: request.filter,
      quoted: fromQueue?.quoted ?? null,
      isDryRun: request.approvals === "dryRun",
      isAskedByScopedKey: !hasFullRights(request),
      table: asked.table ?? null,
      builtInTools: request.assistant === null ? (asked.builtInTools ?? null) : null,
      startedAt,
    }
    for (const call of await turnStore.begin(turn, newTurn, fromQueue))
      box.bus.publish("approval.decided", { ...call, outcome: "denied" })
  }

  /** Stores the start of a run. If that fails, the run is removed. */
  async #storeOrDrop(run: Run, store: () => Promise<void>): Promise<void> {
    const { box, runs } = this.#deps
    try {
      await store()
      // A user who was disabled while the run was starting wasn't covered by the earlier stop.
      if ((await box.disabledIds()).includes(run.ownerId)) run.stop()
    } catch (error) {
      run.end("error")
      runs.drop(run)
      this.#announceEnd(run)
      throw error
    }
  }

  #start(run: Run, { request, progress }: Pick<Turn, "request" | "progress">, record?: AnswerRecord): void {
    const { ownerId: userId, chatId } = run
    const { assistant, scopes, isUnconfirmed, vectorIds } = request
    const turn: Turn = { identity: getIdentity(run), request, progress, ports: turnPorts(this.#deps, run) }
    void onBehalfOf({ userId, chatId, assistantId: assistant?.id ?? null }, () =>
      this.#runTurn(run, turn, record),
    ).then((endNotification) => {
      this.#announceEnd(run)
      if (endNotification !== null) {
        const announcing = this.#announceUnattended(run, endNotification).finally(() =>
          this.#announcements.delete(announcing),
        )
        this.#announcements.add(announcing)
      }
      // The next chat with the assistant or about folders starts like this one; tools are chosen for each chat.
      const cites = vectorIds.length > 0
      readAhead(this.#deps.box, { userId, scopes, isUnconfirmed, assistant, builtInTools: {}, cites })
    })
  }

  #announceEnd({ ownerId, chatId }: Run): void {
    this.#deps.box.bus.publish("answer.ended", { ownerId, chatId })
  }

  async #announceUnattended(run: Run, status: "completed" | "error"): Promise<void> {
    const { box, transcript } = this.#deps
    const { ownerId, chatId } = run
    const coverage = run.events.find((event) => event.type === "coverage")
    try {
      const chat = await transcript.status(ownerId, chatId)
      if (!chat) return
      const { title } = chat
      const writeNotified = markNotified(run)
      box.bus.publish("answer.unattended", { ownerId, chatId, title, status, coverage, writeNotified })
    } catch (error) {
      box.logger.warn({ err: error, chatId }, "The end of an answer couldn't be announced")
    }
  }
}

const getKey = (caller: Caller | null) => (caller?.via === "key" ? caller.credentialId : null)
