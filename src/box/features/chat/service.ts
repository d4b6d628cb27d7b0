import type {
  ChatRequest,
  ReadingEstimate,
  ReadingEstimateRequest,
  StreamStatus,
  WaitingApproval,
} from "../../../shared/contract/chat.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { AgeTimes } from "../../core/age-clock.ts"
import type { DbOf, AlsoWrite } from "../../core/database/database.ts"
import { isDiskFull } from "../../core/disk/disk-space.ts"
import { lazy } from "../../core/lazy.ts"
import type { ObjectFiles } from "../../core/objects/object-files.ts"
import type { SentFile } from "../../http/answers/send-file.ts"
import { reachesFolders, requireFolderScope, type Caller } from "../../http/caller.ts"
import { createApprovalStore } from "./approvals/approval-store.ts"
import { createApprovals, type Approvals } from "./approvals/approvals.ts"
import { decidedTurns, type Parked, isParked } from "./approvals/parked-turns.ts"
import type { ReadingLibrary } from "./reading/library.ts"
import type { WholeReadingDeps } from "./reading/read-whole.ts"
import { createRuns, type Run, type Runs, stopAndWait } from "./streams/runs.ts"
import { createChatFiles, fileNotFound, showsFile, type ChatFiles } from "./tool-calls/chat-files.ts"
import { createUnstoredAnswers, type UnstoredAnswers } from "./transcript/answers/answer-saving.ts"
import { createChatRemoval, type ChatRemoval, type WriteWithChats } from "./transcript/chat-removal.ts"
import { createProjectChats } from "./transcript/conversation-store.ts"
import {
  createTranscriptStore,
  findAnswersToNotify,
  markNotified,
  type TranscriptStore,
} from "./transcript/transcript-store.ts"
import type { NamedInQuestion } from "./turn/check-request.ts"
import { readAhead } from "./turn/prompt/prompt-prefix.ts"
import type { UnfinishedTurns } from "./turn/resuming/unfinished-turns.ts"
import type { BoxParts, TurnDeps } from "./turn/turn-deps.ts"
import { createTurnStore, type FromQueue } from "./turn/turn-store.ts"
import { noModelError } from "./turn/turn.ts"
import { createTurns, type Turns } from "./turn/turns.ts"

export interface ChatDeps extends BoxParts {
  db: DbOf<"chat">
  library: ReadingLibrary
  wholeLimit: WholeReadingDeps["limit"]
  dataDir: string
  /** Object storage for files that tools make, used instead of the data directory. */
  objects: ObjectFiles | null
  /** Whether files of chats that are missing from the database are deleted at start. */
  canForget: boolean
  /** Whether another box may take over from this one and resume its answers. */
  isShared: boolean
  times: Pick<AgeTimes, "latest">
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
   * Stores the turn and starts its answer, which continues if the caller disconnects. Throws `not_found`, `forbidden`, `no_model`,
   * `chat_busy` or `rate_limited`; later failures are events of the stream.
   */
  send(caller: Caller, request: ChatRequest, fromQueue?: FromQueue): Promise<Run>
  /** Throws the error with which a question would be refused because of what it names, such as its assistant. */
  requireNamed(caller: Caller, chatId: string, question: NamedInQuestion): Promise<void>
  /** Returns why a question must wait: an answer is being written, or one waits for approvals. */
  busyWith(userId: string, chatId: string): Promise<"answer" | "approval" | null>
  /** Returns the chat's running stream, or its previous one for a short time after it ended. Throws `not_found`. */
  attach(userId: string, chatId: string): Run
  /** Returns whether there was a stream to stop. Settles when the stream is stopped and stored. */
  stop(userId: string, chatId: string): Promise<boolean>
  status(userId: string, chatId: string): Promise<ChatState>
  /**
   * Returns the answers being written and the calls waiting for approval in all chats of the user, without names of files in titles unless
   * the caller `readsFolders`.
   */
  activity(
    userId: string,
    readsFolders: boolean,
  ): Promise<{ answering: string[]; approvals: WaitingApproval[] }>
  /** Returns whether a chat has read any folder, in which case programs in its answers may contain folder content. */
  hasReadFolders(userId: string, chatId: string): Promise<boolean>
  /** Calls that wait for their owner's approval. */
  readonly approvals: Pick<Approvals, "waiting" | "decide">
  /**
   * Has the model process the start of a new chat's prompt in the background, for the given assistant, folders or tools. Throws
   * `not_found`, `forbidden`, `validation` or `assistant_disabled`.
   */
  prepare(caller: Caller, wanted: Pick<ChatRequest, "assistantId" | "vector" | "builtInTools">): Promise<void>
  /** Returns the cost of reading everything. Throws `not_found`, `forbidden`, `validation` or `no_model` if it can't be read. */
  estimateReading(caller: Caller, request: ReadingEstimateRequest): Promise<ReadingEstimate>
  /** Opens a file that a tool made in the chat. Throws `not_found`, including when the credential may not see the file in an answer. */
  openFile(caller: Caller, chatId: string, fileId: string): Promise<SentFile>
  /** Files that tools made in a chat, for copying into a chat that starts with the same answers. */
  readonly madeFiles: Pick<ChatFiles, "copy" | "removeDirectory">
  /**
   * Hides the chats with all their content after stopping their streams. `also` is written in the same transaction, for the chats that
   * existed.
   */
  remove(userId: string, chatIds: readonly string[], also: WriteWithChats): Promise<void>
  /** Restores a hidden chat. `also` is written in the same transaction. */
  restore(userId: string, chatId: string, also: AlsoWrite): Promise<void>
  /** Permanently deletes a hidden chat with all its content. Does nothing if there is none. */
  clear(userId: string, chatId: string): Promise<void>
  /** Sends pending notifications of ended answers, and resumes turns whose calls waited too long. Called when the box accepts requests. */
  start(): Promise<void>
}

/** Opens chat. Answers that the previous run of the box left open are closed or resumed before this returns. */
export async function openChat(deps: ChatDeps): Promise<Chat> {
  const { db, bus, push, logger, times } = deps
  const transcript = createTranscriptStore(db)
  const approvalStore = createApprovalStore(db, times)
  const files = createChatFiles(db, deps.dataDir, deps.objects)
  const removal = createChatRemoval(db)
  const unstored = createUnstoredAnswers(logger)
  const runs = createRuns()
  const { started, turns: cutTurns } = deps.isShared
    ? await (await import("./turn/resuming/interrupted-turns.ts")).takeCutTurns(db, deps, transcript)
    : { started: null, turns: [] }
  const stopListening = bus.subscribe("people.disabled", ({ userIds }) => runs.stopAll(userIds))
  // If the disk is full, the next start closes them. They are treated as ended in the meantime.
  await transcript.closeInterrupted(cutTurns.map(({ messageId }) => messageId)).catch((error: unknown) => {
    if (!isDiskFull(error)) throw error
    logger.warn({ err: error }, "Answers that were cut off couldn't be closed")
  })
  const unannounced = await findAnswersToNotify(db)
  const notes = lazy(async () => (await import("./reading/notes/note-store.ts")).createNoteStore(db))
  const turnDeps: TurnDeps = {
    box: deps,
    runs,
    transcript,
    turnStore: createTurnStore(db, times, started),
    approvalStore,
    async keepRetrieval(messageId, retrieval) {
      const { createRetrievalStore } = await import("./transcript/retrieval-store.ts")
      await createRetrievalStore(db).keep(messageId, retrieval)
    },
    files,
    unstored,
    reading: { library: deps.library, notes, limit: deps.wholeLimit, logger },
    projectOfChat: createProjectChats(db).getProject,
  }
  const turns = createTurns(turnDeps)
  const approvals = createApprovals({
    store: approvalStore,
    decidedTurns: async (chat) => excludeDisabled(deps, await decidedTurns(db, chat)),
    runs,
    requireModel() {
      if (!deps.engine()) throw noModelError("chat.no_model_to_go_on")
    },
    resume: (parked, caller) => turns.resume(parked, caller),
    bus,
    push,
    logger,
  })
  for (const turn of cutTurns) await turns.resumeInterrupted(turn)
  return new ChatService(deps, {
    turnDeps,
    turns,
    approvals,
    files,
    removal,
    started,
    unstored,
    unannounced,
    stopListening,
  })
}

/** Turns of disabled users stay paused. */
async function excludeDisabled(box: BoxParts, parked: Parked[]): Promise<Parked[]> {
  const disabled = parked.length === 0 ? [] : await box.disabledIds()
  return parked.filter(({ ownerId }) => !disabled.includes(ownerId))
}

interface ChatParts {
  turnDeps: TurnDeps
  turns: Turns
  approvals: Approvals
  files: ChatFiles
  removal: ChatRemoval
  started: UnfinishedTurns | null
  unstored: UnstoredAnswers
  /** Ended answers that their owners haven't been notified of. */
  unannounced: Awaited<ReturnType<typeof findAnswersToNotify>>
  stopListening(): void
}

class ChatService implements Chat {
  readonly #deps: ChatDeps
  readonly #parts: ChatParts
  readonly #runs: Runs
  readonly #transcript: TranscriptStore
  readonly approvals: Approvals
  readonly madeFiles: ChatFiles

  constructor(deps: ChatDeps, parts: ChatParts) {
    this.#deps = deps
    this.#parts = parts
    this.#runs = parts.turnDeps.runs
    this.#transcript = parts.turnDeps.transcript
    this.approvals = parts.approvals
    this.madeFiles = parts.files
  }

  send(caller: Caller, request: ChatRequest, fromQueue?: FromQueue): Promise<Run> {
    return this.#parts.turns.begin(caller, request, fromQueue)
  }

  async requireNamed(caller: Caller, chatId: string, question: NamedInQuestion): Promise<void> {
    const { requireNamed } = await import("./turn/check-request.ts")
    await requireNamed(this.#parts.turnDeps, caller, chatId, question)
  }

  async busyWith(ownerId: string, chatId: string): Promise<"answer" | "approval" | null> {
    if (this.#runs.find(ownerId, chatId)?.status === "active") return "answer"
    return (await isParked(this.#deps.db, { ownerId, chatId })) ? "approval" : null
  }

  attach(userId: string, chatId: string): Run {
    const run = this.#runs.find(userId, chatId)
    if (run) return run
    throw new AppError("not_found", sentence("chat.nothing_written"))
  }

  async stop(userId: string, chatId: string): Promise<boolean> {
    const run = this.#runs.find(userId, chatId)
    if (run?.status !== "active") return false
    await stopAndWait(run)
    await this.#parts.started?.remove(run.messageId) // even if its end couldn't be stored
    return true
  }

  async status(userId: string, chatId: string): Promise<ChatState> {
    const run = this.#runs.find(userId, chatId)
    const stored = await this.#transcript.status(userId, chatId)
    if (!stored) {
      const nothing = { startTime: null, lastActivity: null, messageCount: 0, pendingApprovals: 0 }
      return { status: "not_found", isActive: false, ...nothing }
    }
    // No run is writing it: its end couldn't be stored and waits for disk space.
    const status = run?.status ?? (stored.status === "active" ? "error" : stored.status)
    return {
      status,
      isActive: status === "active",
      startTime: run?.startedAt ?? stored.startedAt,
      lastActivity: run?.lastActivity ?? stored.activityAt,
      messageCount: stored.messageCount,
      pendingApprovals: (await this.approvals.waiting(userId, chatId)).length,
    }
  }

  async activity(
    userId: string,
    readsFolders: boolean,
  ): Promise<{ answering: string[]; approvals: WaitingApproval[] }> {
    const approvals = await this.approvals.listWaiting(userId)
    const answering = this.#runs.activeChats(userId)
    if (readsFolders || approvals.length === 0) return { answering, approvals }
    const { findFileNames, hideInTitle } = await import("./transcript/named-files.ts")
    const ids = approvals.map(({ chatId }) => chatId)
    const getNames = await findFileNames(this.#deps.db, userId, ids)
    const hide = (approval: WaitingApproval) => hideInTitle(approval.title, getNames(approval.chatId))
    return { answering, approvals: approvals.map((approval) => ({ ...approval, title: hide(approval) })) }
  }

  hasReadFolders(userId: string, chatId: string): Promise<boolean> {
    return this.#transcript.hasReadFolders(userId, chatId)
  }

  async prepare(
    caller: Caller,
    wanted: Pick<ChatRequest, "assistantId" | "vector" | "builtInTools">,
  ): Promise<void> {
    const { userId, scopes, isUnconfirmed = false } = caller
    const { assistantId, vector } = wanted
    requireFolderScope(caller, vector)
    const { requireAssistant, requireTools } = await import("./turn/check-request.ts")
    const assistant = assistantId ? await requireAssistant(this.#deps, userId, assistantId) : null
    const builtInTools = await requireTools(this.#deps, caller, wanted)
    const own = reachesFolders(caller) ? (assistant?.vectorIds ?? []) : []
    const cites = (vector ?? []).length + own.length > 0
    readAhead(this.#deps, { userId, scopes, isUnconfirmed, assistant, builtInTools, cites })
  }

  async estimateReading(caller: Caller, request: ReadingEstimateRequest): Promise<ReadingEstimate> {
    const { estimateTurn } = await import("./turn/estimate-turn.ts")
    return estimateTurn(this.#parts.turnDeps, caller, request)
  }

  async openFile(caller: Caller, chatId: string, fileId: string): Promise<SentFile> {
    const { userId, scopes } = caller
    if (scopes !== null) {
      const stored = await this.#transcript.answersWith(userId, chatId, fileId)
      const answers = [this.#runs.find(userId, chatId)?.events ?? [], ...stored]
      const hasRead = await this.#transcript.hasReadFolders(userId, chatId)
      if (!answers.some((parts) => showsFile(caller, parts, fileId, hasRead))) throw fileNotFound()
    }
    return this.madeFiles.open(userId, chatId, fileId)
  }

  async remove(userId: string, chatIds: readonly string[], also: WriteWithChats): Promise<void> {
    const { removal } = this.#parts
    const hidden = await this.#runs.runWhileIdle(userId, chatIds, () => removal.hide(userId, chatIds, also))
    // Updates the lists of chats and of waiting calls in all of the user's windows.
    for (const chatId of hidden) this.#deps.push([userId], { type: "chat", chatId, status: "not_found" })
  }

  async restore(userId: string, chatId: string, also: AlsoWrite): Promise<void> {
    await this.#parts.removal.show(userId, chatId, also)
    await this.approvals.resumeDecided()
    this.#deps.push([userId], { type: "chat", chatId, status: "completed" })
  }

  async clear(userId: string, chatId: string): Promise<void> {
    await this.approvals.clearPending(userId, chatId)
    await this.#parts.removal.clear(userId, chatId)
    await this.madeFiles.removeDirectory(userId, chatId)
  }

  async start(): Promise<void> {
    for (const answer of this.#parts.unannounced)
      this.#deps.bus.publish("answer.unattended", { ...answer, writeNotified: markNotified(answer) })
    if (this.#deps.canForget) await this.madeFiles.removeAbandoned()
    await this.approvals.start()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { turns, approvals, removal, started, unstored } = this.#parts
    this.#parts.stopListening()
    approvals[Symbol.dispose]()
    await this.#runs.close(started !== null)
    await started?.leave()
    await turns.announced()
    await removal[Symbol.asyncDispose]()
    await unstored[Symbol.asyncDispose]()
  }
}
