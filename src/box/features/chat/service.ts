import type { ChatRequest, StreamStatus } from "../../../shared/contract/chat.ts"
import type { Settings } from "../../../shared/contract/settings.ts"
import { AppError, invalidField } from "../../../shared/contract/errors.ts"
import type { Database } from "../../core/database.ts"
import type { EventBus } from "../../core/event-bus.ts"
import { newId } from "../../core/ids.ts"
import type { Logger } from "../../core/logger.ts"
import type { ChatEngine } from "../../engines/engine.ts"
import type { Caller } from "../../http/caller.ts"
import type { Turn } from "./answer.ts"
import { createAnswerWriter } from "./answer-writer.ts"
import type { SearchFolders } from "./find-passages.ts"
import type { Run } from "./run.ts"
import { createRuns, stopAndWait } from "./runs.ts"
import { createTranscriptStore } from "./transcript-store.ts"

/** What chat needs to know of an assistant. */
export interface ChatAssistant {
  instructions: string
  vectorIds: string[]
}

export interface ChatDeps {
  db: Database
  bus: EventBus
  logger: Logger
  engine(): ChatEngine | null
  search: SearchFolders
  /** Those of the folders that don't exist or that the user may not see. */
  missingFolders(userId: string, vectorIds: string[]): Promise<string[]>
  /** The assistant, if it exists and the user may chat with it. */
  assistant(userId: string, id: string): Promise<ChatAssistant | null>
  textEvent(): Settings["textEvent"]
}

export interface ChatState {
  status: StreamStatus
  isActive: boolean
  startTime: string | null
  lastActivity: string | null
  messageCount: number
}

export interface Chat extends AsyncDisposable {
  /**
   * Stores the turn and starts its answer, which goes on when the caller goes away.
   * Throws `not_found`, `no_model`, `chat_busy` or `rate_limited`; whatever fails later is an event of the stream.
   */
  send(caller: Caller, request: ChatRequest): Promise<Run>
  /** The chat's running stream, or its last one shortly after. Throws `not_found`. */
  attach(userId: string, chatId: string): Run
  /** Whether there was a stream to stop; settles when it is stopped and stored. */
  stop(userId: string, chatId: string): Promise<boolean>
  status(userId: string, chatId: string): Promise<ChatState>
  /** Stops the chat's stream, then does the work while none can start. */
  whileIdle<T>(userId: string, chatId: string, work: () => Promise<T>): Promise<T>
}

/** Chat: streams that outlive their callers, stored as they are written (interface.md 4.4, 4.5; decisions.md 8). */
export async function openChat(deps: ChatDeps): Promise<Chat> {
  const store = createTranscriptStore(deps.db)
  const writer = createAnswerWriter({ ...deps, store })
  const runs = createRuns()
  await store.closeInterrupted()

  async function prepare(userId: string, request: ChatRequest): Promise<Turn> {
    requireQuestion(request)
    const assistant = request.assistantId ? await deps.assistant(userId, request.assistantId) : null
    if (request.assistantId && !assistant) throw new AppError("not_found", "There is no such assistant.")
    const own = request.vector ?? []
    const missing = own.length > 0 ? await deps.missingFolders(userId, own) : []
    if (missing.length > 0) throw new AppError("not_found", "There is no such folder.", { details: missing })
    const vectorIds = [...new Set([...own, ...(assistant?.vectorIds ?? [])])]
    const engine = deps.engine()
    const modelFailure = engine && (await failureOf(engine))
    if (modelFailure && vectorIds.length === 0) throw modelFailure
    if (vectorIds.length === 0 && !engine) {
      throw new AppError(
        "no_model",
        "No model is installed. Add one, or choose folders to get passages from.",
        {
          details: { action: "/settings/models" },
        },
      )
    }
    return {
      messages: request.messages,
      instructions: assistant?.instructions ?? "",
      vectorIds,
      modelFailure: modelFailure && modelFailure.message,
      boxAddress: request.boxAddress,
      conversationKey: `${userId}/${request.id}`,
    }
  }

  /** Who asked in the app and left hears of the answer by other ways. */
  function announceUnattended({ origin }: Caller, { ownerId, chatId, status, attended }: Run): void {
    if (origin !== "APP" || attended || status === "aborted" || status === "active") return
    deps.bus.publish("answer.unattended", { ownerId, chatId, status })
  }

  return {
    async send(caller, request) {
      const turn = await prepare(caller.userId, request)
      const run = runs.start(caller.userId, request.id, newId())
      try {
        await store.begin({
          ownerId: run.ownerId,
          chatId: run.chatId,
          answerId: run.messageId,
          origin: caller.origin,
          vectorIds: request.vector ?? [],
          assistantId: request.assistantId ?? null,
          messages: request.messages,
          startedAt: run.startedAt,
        })
      } catch (error) {
        run.end("error")
        runs.drop(run)
        throw error
      }
      void writer.write(run, turn).then(() => announceUnattended(caller, run))
      return run
    },

    attach(userId, chatId) {
      const run = runs.find(userId, chatId)
      if (run) return run
      throw new AppError(
        "not_found",
        "No answer is being written in this chat. Read the conversation for what was said.",
      )
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
        return { status: "not_found", isActive: false, startTime: null, lastActivity: null, messageCount: 0 }
      }
      const status = run?.status ?? stored.status
      return {
        status,
        isActive: status === "active",
        startTime: run?.startedAt ?? stored.startedAt,
        lastActivity: run?.lastActivity ?? stored.activityAt,
        messageCount: stored.messageCount,
      }
    },

    whileIdle: (userId, chatId, work) => runs.whileIdle(userId, chatId, work),
    [Symbol.asyncDispose]: () => runs.close(),
  }
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
    throw invalidField(`messages.${last}.role`, "The last message must be the user's new one.")
  }
  if (newest.content.trim() === "")
    throw invalidField(`messages.${last}.content`, "The new message is empty.")
}
