import type { ChatMessage, ChatRequest } from "../../../shared/contract/chat.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import type { WaitsFor } from "../../../shared/contract/queue.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { AlsoWrite } from "../../core/database/database.ts"
import { reachesFolders, type Caller } from "../../http/caller.ts"
import type { QueueStore } from "./store.ts"
import type { Question } from "./stored-question.ts"

export interface AskDeps {
  /** Chat functions that a queue needs. */
  chats: {
    /** Throws `forbidden` or `validation` for tools that would make the chat refuse the question. */
    requireTools(
      caller: Caller,
      question: Pick<ChatRequest, "assistantId" | "builtInTools">,
    ): Promise<unknown>
    /** The reason why a chat is busy; null if it can be asked. */
    busyWith(ownerId: string, chatId: string): Promise<"answer" | "approval" | null>
    /**
     * Asks, and writes `also` in the same transaction as the question. Throws `chat_busy` while an answer is being written, or while calls
     * wait for approval that this question shouldn't deny.
     */
    ask(
      caller: Caller,
      request: ChatRequest,
      inTurn: { also: AlsoWrite; deniesCalls: boolean },
    ): Promise<unknown>
    /** Messages up to and including the given one, or up to the newest; none in a chat that hasn't started. */
    history(ownerId: string, chatId: string, lastId: string | undefined): Promise<ChatMessage[]>
  }
  /**
   * The folder of the chat's attachments, the number of its files, and the number of files that must still be indexed for the question.
   * Images that its model can see needn't be indexed.
   */
  getChatFolder(
    ownerId: string,
    chatId: string,
    question: Pick<Question, "modelId" | "assistantId">,
  ): Promise<{ id: string; files: number; pending: number } | null>
  isRevoked(keyId: string): Promise<boolean>
  /** IDs of disabled users. */
  disabledIds(): Promise<readonly string[]>
}

/** The question was removed or changed while it was being asked. */
export class QuestionWithdrawn extends Error {}

/**
 * Asks the question, unless it has to wait. Returns what it waits for, "nothing" if it can't continue by itself, or null if it was asked.
 * `waitedLong` returns whether to ask without files that aren't indexed yet. Throws the chat's errors.
 */
export async function askQuestion(
  question: Question,
  waitedLong: () => boolean,
  { chats, ...deps }: AskDeps & { store: Pick<QueueStore, "take"> },
): Promise<WaitsFor | "nothing" | null> {
  const { caller, chatId, now } = question
  const ownerId = caller.userId
  if ((await deps.disabledIds()).includes(ownerId)) return "nothing"
  const busy = await chats.busyWith(ownerId, chatId)
  if (busy === "answer" || (busy === "approval" && !now)) return busy
  if (caller.via === "key" && (await deps.isRevoked(caller.credentialId)))
    throw new AppError("unauthorized", sentence("queue.key_revoked"))
  const own = reachesFolders(caller) ? await deps.getChatFolder(ownerId, chatId, question) : null
  if (own && own.pending > 0 && !now && !waitedLong()) return "files"
  const vector = new Set(question.vectorIds)
  if (own && own.files > 0) vector.add(own.id)
  const request = {
    id: chatId,
    messages: [...(await getHistory(question, chats)), { role: "user" as const, content: question.content }],
    boxAddress: question.boxAddress,
    assistantId: question.assistantId,
    modelId: question.modelId,
    vector: [...vector],
    attachments: question.attachments,
    ...(question.reading !== null && { reading: question.reading }),
    fileIds: question.fileIds,
    includeGenerated: question.includeGenerated,
    table: question.table,
    builtInTools: question.builtInTools,
    projectId: question.projectId,
  }
  await chats.ask(caller, request, {
    deniesCalls: now,
    async also(transaction) {
      if (!(await deps.store.take(question, transaction))) throw new QuestionWithdrawn()
    },
  })
  return null
}

/** If the message was deleted in the meantime, the question follows the newest message. */
async function getHistory(
  { caller, chatId, after }: Question,
  chats: Pick<AskDeps["chats"], "history">,
): Promise<ChatMessage[]> {
  if (after === null) return []
  try {
    return await chats.history(caller.userId, chatId, after)
  } catch (error) {
    if (after === undefined || !(error instanceof AppError && error.code === "not_found")) throw error
    return chats.history(caller.userId, chatId, undefined)
  }
}
