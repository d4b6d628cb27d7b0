import type { ChatRequest, StreamStatus } from "../../../shared/contract/chat.ts"
import type { Settings } from "../../../shared/contract/settings.ts"
import type { Origin } from "../../../shared/contract/conversations.ts"
import { AppError, invalidField } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { Notice } from "../../../shared/contract/folders.ts"
import type { AgeTimes } from "../../core/age-clock.ts"
import type { AlsoWrite, Database } from "../../core/database/database.ts"
import type { DiskReserve } from "../../core/disk/disk-reserve.ts"
import { isDiskFull } from "../../core/disk/is-disk-full.ts"
import type { EventBus } from "../../core/event-bus.ts"
import type { Push } from "../../core/push.ts"
import { newId } from "../../core/ids.ts"
import type { Logger } from "../../core/logging/logger.ts"
import { onBehalfOf } from "../../core/outbound/on-behalf-of.ts"
import { within } from "../../core/waiting/within.ts"
import type { ChatEngine } from "../../engines/engine.ts"
import { reachesFolders, requireFolderScope, type Caller } from "../../http/caller.ts"
import type { SentFile } from "../../http/answers/send-file.ts"
import type { Toolbox } from "../../tools/registry.ts"
import { createApprovals, type Approvals } from "./approvals/approvals.ts"
import { createApprovalStore, type Parked } from "./approvals/approval-store.ts"
import { createAnswerWriter, type WrittenTurn } from "./turn/run-turn.ts"
import { createChatFiles, noSuchFile, showsFile } from "./tool-calls/chat-files.ts"
import { createChatRemoval } from "./transcript/chat-removal.ts"
import { beginningOf } from "./turn/prompt-prefix.ts"
import type { Delegate } from "./turn/delegate.ts"
import { leavesOutAccounts } from "./turn/assistant-tools.ts"
import type { SearchFolders } from "./grounding/find-passages.ts"
import { unansweredCalls } from "./approvals/parked-task.ts"
import type { Facts } from "./turn/prompt.ts"
import type { Run } from "./streams/run.ts"
import { createRuns, stopAndWait } from "./streams/runs.ts"
import { answersWith, historyOf, storedAnswer } from "./transcript/stored-history.ts"
import { createTranscriptStore, type TranscriptStore } from "./transcript/transcript-store.ts"
import { createUnstoredAnswers } from "./transcript/unstored-answers.ts"
import { answerLimits, nothingSent, nothingSpent, type ChatAssistant, type Turn } from "./turn/turn.ts"

export interface ChatDeps {
  db: Database
  dataDir: string
  bus: EventBus
  push: Push
  logger: Logger
  engine(): ChatEngine | null
  search: SearchFolders
  toolbox: Toolbox
  /** Those of the folders that don't exist or that the user may not see. */
  missingFolders(userId: string, vectorIds: string[]): Promise<string[]>
  /** The assistant, if it exists and the user may chat with it. Throws `assistant_disabled`. */
  assistant(userId: string, id: string): Promise<ChatAssistant | null>
  /** Assistants that the user's assistants may ask. */
  delegates(userId: string): Promise<Delegate[]>
  /** What is remembered of the user and fits a question. */
  facts(userId: string, question: string): Promise<Facts>
  textEvent(): Settings["textEvent"]
  reserve: Pick<DiskReserve, "orFree">
  /** Whether files of chats that the database doesn't know of go at the start. */
  mayForget: boolean
  times: Pick<AgeTimes, "latest">
  /** People who may not use the box. */
  disabledIds(): Promise<string[]>
  /** Calls back when a credential ends, until disposed; at once when it has ended. */
  whileValid(credentialId: string, onEnd: () => void): Disposable
}

export interface ChatState {
  status: StreamStatus
  isActive: boolean
  startTime: string | null
  lastActivity: string | null
  messageCount: number
  pendingApprovals: number
}

export interface Chat extends AsyncDisposable {
  /**
   * Stores the turn and starts its answer, which goes on when the caller goes away.
   * Throws `not_found`, `forbidden`, `no_model`, `chat_busy` or `rate_limited`; whatever fails later is an event of the stream.
   */
  send(caller: Caller, request: ChatRequest): Promise<Run>
  /** The chat's running stream, or its last one shortly after. Throws `not_found`. */
  attach(userId: string, chatId: string): Run
  /** Whether there was a stream to stop; settles when it is stopped and stored. */
  stop(userId: string, chatId: string): Promise<boolean>
  status(userId: string, chatId: string): Promise<ChatState>
  /** Calls that wait for their owner. */
  readonly approvals: Pick<Approvals, "waiting" | "answer">
  /**
   * Has the model read ahead what a new conversation with the assistant begins with, in the background. Throws
   * `not_found`, `forbidden` or `assistant_disabled`.
   */
  prepare(
    caller: Caller,
    wanted: { assistantId: string; vector?: string[] | null | undefined },
  ): Promise<void>
  /** A file that a tool made in the chat. Throws `not_found`, also where the credential isn't shown it in an answer. */
  openFile(caller: Caller, chatId: string, fileId: string): Promise<SentFile>
  /**
   * Deletes the chat, once its stream is stopped, with the files that tools made in it; whether there was one. `also` is
   * written with it.
   */
  remove(userId: string, chatId: string, also: AlsoWrite): Promise<boolean>
  /** Of stored messages, those that are being written with all that is stored of them. */
  readonly withPieces: TranscriptStore["withPieces"]
  /** Goes on with turns whose calls waited too long, and ends deletions, once requests are accepted. */
  start(): Promise<void>
}

/** Whoever deletes a chat waits so long for its messages to go; the rest of thousands goes afterwards. */
const clearingMs = 500

/** Chat: streams that outlive their callers, stored as they are written (interface.md 4.4, 4.5; decisions.md 8). */
export async function openChat(deps: ChatDeps): Promise<Chat> {
  const store = createTranscriptStore(deps.db, deps.times)
  const approvalStore = createApprovalStore(deps.db, deps.times)
  const files = createChatFiles(deps.db, deps.dataDir)
  const removal = createChatRemoval(deps.db)
  const unstored = createUnstoredAnswers(deps.logger)
  const writer = createAnswerWriter({ ...deps, store, unstored })
  const runs = createRuns()
  const stopListening = deps.bus.subscribe("people.disabled", ({ userIds }) => runs.stopOf(userIds))
  // On a full disk the next start does it: until then they count as ended all the same.
  await store.closeInterrupted().catch((error: unknown) => {
    if (!isDiskFull(error)) throw error
    deps.logger.warn({ err: error }, "Answers that were cut off couldn't be closed")
  })

  const approvals = createApprovals({
    store: approvalStore,
    runs,
    requireModel() {
      if (!deps.engine()) throw noModel("No model is installed that could go on with this answer. Add one.")
    },
    goOn,
    bus: deps.bus,
    push: deps.push,
    logger: deps.logger,
  })

  /** What of a turn is the same whether it begins or goes on. */
  function turnOf({ ownerId, chatId, messageId }: Run) {
    return {
      userId: ownerId,
      chatId,
      conversationKey: `${ownerId}/${chatId}`,
      history: () => historyOf(deps.db, messageId),
      remembered: () => approvalStore.remembered(ownerId, chatId),
      limits: answerLimits,
      keepRetrieval: (retrieval) => store.keepRetrieval(messageId, retrieval),
      keepFile: (file, toolCallId) => files.keep(ownerId, chatId, toolCallId, file),
      delegation: null,
    } satisfies Partial<WrittenTurn>
  }

  async function requireAssistant(userId: string, id: string): Promise<ChatAssistant> {
    const assistant = await deps.assistant(userId, id)
    if (!assistant) throw new AppError("not_found", sentence("assistants.none_such"))
    return assistant
  }

  /** Throws what is wrong with a request before anything is stored. */
  async function check(caller: Caller, request: ChatRequest) {
    const { userId, scopes } = caller
    requireQuestion(request)
    requireFolderScope(caller, request.vector)
    const assistant = request.assistantId ? await requireAssistant(userId, request.assistantId) : null
    const own = request.vector ?? []
    const missing = own.length > 0 ? await deps.missingFolders(userId, own) : []
    if (missing.length > 0)
      throw new AppError("not_found", sentence("folders.none_such"), { details: missing })
    const ofAssistant = assistant?.vectorIds ?? []
    const vectorIds = [...new Set([...own, ...(reachesFolders(caller) ? ofAssistant : [])])]
    const notices = leftOutOf(caller, assistant)
    const engine = deps.engine()
    const failure = engine && (await failureOf(engine))
    if (failure && vectorIds.length === 0) throw failure
    if (vectorIds.length === 0 && !engine)
      throw noModel("No model is installed. Add one, or choose folders to get passages from.")
    return { assistant, vectorIds, scopes, notices, modelFailure: failure && failure.message }
  }

  async function begin(caller: Caller, request: ChatRequest): Promise<Run> {
    const checked = await check(caller, request)
    const run = startFor(caller.userId, caller, request.id, newId())
    await orDrop(run, async () => {
      await removal.clear(run.ownerId, run.chatId) // a deleted chat may have had this id
      await store.begin({
        ownerId: run.ownerId,
        chatId: run.chatId,
        answerId: run.messageId,
        origin: caller.origin,
        vectorIds: request.vector ?? [],
        assistantId: request.assistantId ?? null,
        messages: request.messages,
        attachments: request.attachments ?? null,
        startedAt: run.startedAt,
      })
      await stopIfDisabled(run)
    })
    write(run, {
      ...turnOf(run),
      ...checked,
      messages: request.messages,
      boxAddress: request.boxAddress,
      origin: caller.origin,
      parts: [],
      labels: [],
      approvals: request.approvals ?? "wait",
      decided: new Map(),
      spent: nothingSpent(),
      sent: nothingSent(),
      tasks: new Map(),
    })
    return run
  }

  /** Revoking a key stops what it asked for. Signing out doesn't: the answer waits for its owner. */
  function startFor(ownerId: string, caller: Caller | null, chatId: string, messageId: string): Run {
    const run = runs.start(ownerId, chatId, messageId)
    if (caller?.via !== "key") return run
    const held = deps.whileValid(caller.credentialId, run.stop)
    void run.ended.then(() => held[Symbol.dispose]())
    return run
  }

  /** Whoever is disabled while a run begins was told too early to end it. */
  async function stopIfDisabled(run: Run): Promise<void> {
    if ((await deps.disabledIds()).includes(run.ownerId)) run.stop()
  }

  async function goOn(
    { ownerId, chatId, messageId, turn: parked }: Parked,
    caller: Caller | null,
  ): Promise<void> {
    const { assistantId, tasks = {}, scopes = null, sent, ...rest } = parked
    // One that is gone since leaves its turn without tools, but with an end.
    const assistant = assistantId === null ? null : await deps.assistant(ownerId, assistantId).catch(unusable)
    const { parts, labels } = await storedAnswer(deps.db, messageId)
    const messages = await historyOf(deps.db, messageId)
    const decided = await approvalStore.decisions(messageId, unansweredCalls(parts, tasks))
    const run = startFor(ownerId, caller, chatId, messageId)
    await orDrop(run, async () => {
      if (!(await store.goOn(run, run.startedAt)))
        throw new AppError("conflict", sentence("chat.goes_on_already"))
      await stopIfDisabled(run)
    })
    write(run, {
      ...turnOf(run),
      ...rest,
      scopes,
      sent: { addresses: new Set(sent?.addresses), calls: sent?.calls ?? 0 },
      tasks: new Map(Object.entries(tasks)),
      approvals: "wait",
      notices: [],
      assistant,
      modelFailure: null,
      messages,
      parts,
      labels,
      decided,
    })
  }

  /** What can't go now, such as on a full disk, goes when the box starts next, or when the chat's id is used again. */
  function leftForLater(error: unknown): void {
    deps.logger.warn({ err: error }, "What a deleted chat held goes at the next start")
  }

  async function orDrop(run: Run, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      run.end("error")
      runs.drop(run)
      throw error
    }
  }

  function write(run: Run, turn: WrittenTurn): void {
    const cause = { userId: run.ownerId, chatId: run.chatId, assistantId: turn.assistant?.id ?? null }
    void onBehalfOf(cause, () => writer.write(run, turn)).then((end) => {
      if (end === "ended") void announceUnattended(turn.origin, run)
      // The next conversation with the assistant begins like this one.
      if (turn.assistant) readAhead(turn, turn.assistant, turn.vectorIds.length > 0)
    })
  }

  /** Goes on in the background; the question that isn't prepared for is answered all the same. */
  function readAhead(
    { userId, scopes }: Pick<Turn, "userId" | "scopes">,
    assistant: ChatAssistant,
    cites: boolean,
  ): void {
    const engine = deps.engine()
    if (engine?.state.status !== "ready") return
    beginningOf({ ...deps, engine }, { userId, scopes, assistant, cites })
      .then((beginning) => engine.prepare(beginning))
      .catch((error: unknown) => deps.logger.debug({ err: error }, "Nothing was read ahead"))
  }

  /** Who asked in the app and left hears of the answer by other ways. */
  async function announceUnattended(origin: Origin, run: Run): Promise<void> {
    const { ownerId, chatId, status, attended } = run
    if (origin !== "APP" || attended || status === "aborted" || status === "active") return
    try {
      const chat = await store.status(ownerId, chatId)
      if (chat) deps.bus.publish("answer.unattended", { ownerId, chatId, title: chat.title, status })
    } catch (error) {
      deps.logger.warn({ err: error, chatId }, "An ended answer wasn't announced")
    }
  }

  return {
    send: begin,

    attach(userId, chatId) {
      const run = runs.find(userId, chatId)
      if (run) return run
      throw new AppError("not_found", sentence("chat.nothing_written"))
    },

    async stop(userId, chatId) {
      const run = runs.find(userId, chatId)
      if (run?.status !== "active") return false
      await stopAndWait(run)
      return true
    },

    async status(userId, chatId) {
      const run = runs.find(userId, chatId)
      const stored = await store.status(userId, chatId)
      if (!stored) {
        const nothing = { startTime: null, lastActivity: null, messageCount: 0, pendingApprovals: 0 }
        return { status: "not_found", isActive: false, ...nothing }
      }
      // No run writes it: its end couldn't be stored, and waits for room.
      const status = run?.status ?? (stored.status === "active" ? "error" : stored.status)
      return {
        status,
        isActive: status === "active",
        startTime: run?.startedAt ?? stored.startedAt,
        lastActivity: run?.lastActivity ?? stored.activityAt,
        messageCount: stored.messageCount,
        pendingApprovals: (await approvals.waiting(userId, chatId)).length,
      }
    },

    approvals,
    async prepare(caller, { assistantId, vector }) {
      requireFolderScope(caller, vector)
      const assistant = await requireAssistant(caller.userId, assistantId)
      const own = reachesFolders(caller) ? assistant.vectorIds : []
      readAhead(caller, assistant, (vector ?? []).length + own.length > 0)
    },
    async openFile(caller, chatId, fileId) {
      const { userId, scopes } = caller
      const stored = scopes === null ? [] : await answersWith(deps.db, userId, chatId, fileId)
      const answers = [runs.find(userId, chatId)?.events ?? [], ...stored]
      if (scopes !== null && !answers.some((parts) => showsFile(caller, parts, fileId))) throw noSuchFile()
      return files.open(userId, chatId, fileId)
    },
    async remove(userId, chatId, also) {
      const removed = await runs.whileIdle(userId, chatId, () => removal.hide(userId, chatId, also))
      if (!removed) return false
      await within(clearingMs, removal.clear(userId, chatId).catch(leftForLater))
      await files.forget(userId, chatId)
      return true
    },
    withPieces: store.withPieces,
    async start() {
      await removal.clearAll().catch(leftForLater)
      if (deps.mayForget) await files.removeAbandoned()
      await approvals.start()
    },
    async [Symbol.asyncDispose]() {
      stopListening()
      approvals[Symbol.dispose]()
      await runs.close()
      await removal[Symbol.asyncDispose]()
      await unstored[Symbol.asyncDispose]()
    },
  }
}

/** What of an assistant a credential with scopes doesn't reach. */
function leftOutOf(caller: Caller, assistant: ChatAssistant | null): Notice[] {
  if (assistant === null) return []
  const notices: Notice[] = []
  if (!reachesFolders(caller) && assistant.vectorIds.length > 0)
    notices.push({
      code: "folders_left_out",
      message: "The assistant's folders were left out: the API key doesn't have the scope folders.",
    })
  if (leavesOutAccounts(caller, assistant))
    notices.push({
      code: "accounts_left_out",
      message: "The assistant's linked accounts were left out: the API key has limited rights.",
    })
  return notices
}

const noModel = (message: string) =>
  new AppError("no_model", message, { details: { action: "/settings/models" } })

function unusable(error: unknown): null {
  if (error instanceof AppError) return null
  throw error
}

/** Why a model that failed before still can't be used; null when it can. */
async function failureOf(engine: ChatEngine): Promise<AppError | null> {
  if (engine.state.status !== "failed") return null
  try {
    await engine.countTokens("")
    return null
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
}

function requireQuestion({ messages }: ChatRequest): void {
  const last = messages.length - 1
  const newest = messages[last]
  if (newest?.role !== "user") {
    throw invalidField(`messages.${last}.role`, sentence("chat.last_not_users"))
  }
  if (newest.content.trim() === "")
    throw invalidField(`messages.${last}.content`, sentence("chat.message_empty"))
}
