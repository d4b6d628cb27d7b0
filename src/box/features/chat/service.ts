import type {
  ChatRequest,
  ReadingEstimate,
  ReadingEstimateRequest,
  StreamStatus,
  WaitingApproval,
} from "../../../shared/contract/chat.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { AlsoWrite } from "../../core/database/database.ts"
import { reachesFolders, requireFolderScope, type Caller } from "../../http/caller.ts"
import type { SentFile } from "../../http/answers/send-file.ts"
import type { Approvals } from "./approvals/approvals.ts"
import { isParked } from "./approvals/parked-turn-store.ts"
import { openRooms, type ChatDeps } from "./rooms.ts"
import type { Run } from "./streams/run.ts"
import { stopAndWait } from "./streams/runs.ts"
import { noSuchFile, showsFile, type ChatFiles } from "./tool-calls/chat-files.ts"
import type { WriteWithChats } from "./transcript/chat-removal.ts"
import { markTold } from "./transcript/answers/untold-answers.ts"
import { readAhead } from "./turn/prompt/prompt-prefix.ts"
import type { FromQueue } from "./turn/turn-store.ts"

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
  send(caller: Caller, request: ChatRequest, fromQueue?: FromQueue): Promise<Run>
  /** Throws `forbidden` or `validation` for tools with which the question would be refused. */
  requireTools(caller: Caller, question: Pick<ChatRequest, "assistantId" | "builtInTools">): Promise<unknown>
  /** What keeps a question waiting: an answer that is being written, or one that waits for approvals. */
  busyWith(userId: string, chatId: string): Promise<"answer" | "approval" | null>
  /** The chat's running stream, or its last one shortly after. Throws `not_found`. */
  attach(userId: string, chatId: string): Run
  /** Whether there was a stream to stop; settles when it is stopped and stored. */
  stop(userId: string, chatId: string): Promise<boolean>
  status(userId: string, chatId: string): Promise<ChatState>
  /** Answers being written, and calls that wait, in all chats of the user. */
  activity(userId: string): Promise<{ answering: string[]; approvals: WaitingApproval[] }>
  /** Whether a chat has read any folder by now, so that programs in its answers may hold what stands in one. */
  hasReadFolders(userId: string, chatId: string): Promise<boolean>
  /** Calls that wait for their owner. */
  readonly approvals: Pick<Approvals, "waiting" | "decide">
  /**
   * Has the model read ahead what a new conversation with the assistant, about folders, or with tools begins with, in the
   * background. Throws `not_found`, `forbidden`, `validation` or `assistant_disabled`.
   */
  prepare(caller: Caller, wanted: Pick<ChatRequest, "assistantId" | "vector" | "builtInTools">): Promise<void>
  /** What reading all would take. Throws why it can't be read: `not_found`, `forbidden`, `validation` or `no_model`. */
  estimateReading(caller: Caller, request: ReadingEstimateRequest): Promise<ReadingEstimate>
  /** A file that a tool made in the chat. Throws `not_found`, also where the credential isn't shown it in an answer. */
  openFile(caller: Caller, chatId: string, fileId: string): Promise<SentFile>
  /** Files that tools made in a chat, for another that begins with its answers. */
  readonly madeFiles: Pick<ChatFiles, "copy" | "removeDirectory">
  /** Hides the chats with all of them, once their streams are stopped; `also` is written with those that there were. */
  remove(userId: string, chatIds: readonly string[], also: WriteWithChats): Promise<void>
  /** Brings back a chat that was hidden; `also` is written with it. */
  restore(userId: string, chatId: string, also: AlsoWrite): Promise<void>
  /** Removes a hidden chat with all of it, for good; nothing where there is none. */
  clear(userId: string, chatId: string): Promise<void>
  /** Tells of answers that ended with the last run, or untold, and goes on with turns whose calls waited too long, once requests are accepted. */
  start(): Promise<void>
}

/** Chat: streams that outlive their callers, stored as they are written (interface.md 4.4, 4.5; decisions.md 8). */
export async function openChat(deps: ChatDeps): Promise<Chat> {
  const rooms = await openRooms(deps)
  const { transcript, files, removal, runs, turns, approvals, begun } = rooms

  return {
    send: turns.begin,
    requireTools: async (caller, question) =>
      (await import("./turn/check-request.ts")).requireTools(rooms.checking, caller, question),

    async busyWith(ownerId, chatId) {
      if (runs.find(ownerId, chatId)?.status === "active") return "answer"
      return (await isParked(deps.db, { ownerId, chatId })) ? "approval" : null
    },

    attach(userId, chatId) {
      const run = runs.find(userId, chatId)
      if (run) return run
      throw new AppError("not_found", sentence("chat.nothing_written"))
    },

    async stop(userId, chatId) {
      const run = runs.find(userId, chatId)
      if (run?.status !== "active") return false
      await stopAndWait(run)
      await begun?.remove(run.messageId) // also where its end couldn't be stored
      return true
    },

    async status(userId, chatId) {
      const run = runs.find(userId, chatId)
      const stored = await transcript.status(userId, chatId)
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

    activity: async (userId) => ({
      answering: runs.activeChats(userId),
      approvals: await approvals.waitingOf(userId),
    }),

    hasReadFolders: transcript.hasReadFolders,

    approvals,

    async prepare(caller, wanted) {
      const { userId, scopes } = caller
      const { assistantId, vector } = wanted
      requireFolderScope(caller, vector)
      const { requireAssistant, requireTools } = await import("./turn/check-request.ts")
      const assistant = assistantId ? await requireAssistant(deps, userId, assistantId) : null
      const builtInTools = await requireTools(deps, caller, wanted)
      const own = reachesFolders(caller) ? (assistant?.vectorIds ?? []) : []
      const cites = (vector ?? []).length + own.length > 0
      readAhead(deps, { userId, scopes, assistant, builtInTools, cites })
    },

    estimateReading: async (caller, request) =>
      (await import("./turn/estimate-turn.ts")).estimateTurn(rooms.checking, caller, request),

    async openFile(caller, chatId, fileId) {
      const { userId, scopes } = caller
      if (scopes !== null) {
        const stored = await transcript.answersWith(userId, chatId, fileId)
        const answers = [runs.find(userId, chatId)?.events ?? [], ...stored]
        const hasRead = await transcript.hasReadFolders(userId, chatId)
        if (!answers.some((parts) => showsFile(caller, parts, fileId, hasRead))) throw noSuchFile()
      }
      return files.open(userId, chatId, fileId)
    },

    madeFiles: files,

    async remove(userId, chatIds, also) {
      const hidden = await runs.whileIdle(userId, chatIds, () => removal.hide(userId, chatIds, also))
      // Lists of chats, and of what waits in them, are others now in all of the person's windows.
      for (const chatId of hidden) deps.push([userId], { type: "chat", chatId, status: "not_found" })
    },

    async restore(userId, chatId, also) {
      await removal.show(userId, chatId, also)
      await approvals.resumeDecided()
      deps.push([userId], { type: "chat", chatId, status: "completed" })
    },

    async clear(userId, chatId) {
      await approvals.endOf(userId, chatId)
      await removal.clear(userId, chatId)
      await files.removeDirectory(userId, chatId)
    },

    async start() {
      for (const answer of rooms.untold)
        deps.bus.publish("answer.unattended", { ...answer, alsoTold: markTold(answer) })
      if (deps.mayForget) await files.removeAbandoned()
      await approvals.start()
    },

    [Symbol.asyncDispose]: rooms[Symbol.asyncDispose],
  }
}
