import type { ChatMessage, ChatRequest } from "../../../shared/contract/chat.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import type { WaitsFor } from "../../../shared/contract/queue.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { AlsoWrite } from "../../core/database/database.ts"
import { reachesFolders, type Caller } from "../../http/caller.ts"
import type { QueueStore } from "./store.ts"
import type { Question } from "./stored-question.ts"

export interface AskDeps {
  /** What of chats a queue needs. */
  chats: {
    /** Throws `forbidden` or `validation` for tools with which the question would be refused. */
    requireTools(
      caller: Caller,
      question: Pick<ChatRequest, "assistantId" | "builtInTools">,
    ): Promise<unknown>
    /** What a chat is busy with; null when it can be asked. */
    busyWith(ownerId: string, chatId: string): Promise<"answer" | "approval" | null>
    /**
     * Asks, writing `also` with the question. Throws `chat_busy` where an answer is being written, or where calls wait for
     * approvals that aren't to be denied by it.
     */
    ask(
      caller: Caller,
      request: ChatRequest,
      inTurn: { also: AlsoWrite; deniesCalls: boolean },
    ): Promise<unknown>
    /** Messages up to and with the given one, or up to the newest; none in a chat that hasn't begun. */
    history(ownerId: string, chatId: string, lastId: string | undefined): Promise<ChatMessage[]>
  }
  /**
   * The folder of the chat's attachments, with how many files it has, and how many of them would have to be indexed for the
   * question: pictures that its model sees don't.
   */
  ownFolder(
    ownerId: string,
    chatId: string,
    question: Pick<Question, "modelId" | "assistantId">,
  ): Promise<{ id: string; files: number; pending: number } | null>
  isRevoked(keyId: string): Promise<boolean>
  /** People who may not use the box. */
  disabledIds(): Promise<readonly string[]>
}

/** The question was removed or changed while it was being asked. */
export class TakenBack extends Error {}

/**
 * Asks the question, unless it is to wait: answers for what, "nothing" where it doesn't go on by itself, or null when it is
 * asked. `waitedLong`: whether it goes without files that aren't indexed yet. Throws what the chat throws.
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
  const own = reachesFolders(caller) ? await deps.ownFolder(ownerId, chatId, question) : null
  if (own && own.pending > 0 && !now && !waitedLong()) return "files"
  const vector = new Set(question.vectorIds)
  if (own && own.files > 0) vector.add(own.id)
  const request = {
    id: chatId,
    messages: [...(await historyOf(question, chats)), { role: "user" as const, content: question.content }],
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
      if (!(await deps.store.take(question, transaction))) throw new TakenBack()
    },
  })
  return null
}

/** A message that is gone since can't be followed: then the question follows what is newest. */
async function historyOf(
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
