import { z } from "zod"
import { MessagePart, Rewrite, type PendingApproval } from "../../../../shared/contract/chat.ts"
import { Origin } from "../../../../shared/contract/conversations.ts"
import { Scope } from "../../../../shared/contract/endpoint.ts"
import { FileFilter } from "../../../../shared/contract/file-filter.ts"
import { record } from "../../../../shared/contract/primitives.ts"
import type { DbOf, TransactionOf } from "../../../core/database/database.ts"
import { readStored } from "../../../core/database/sql-helpers.ts"
import { isOfShownChat } from "../transcript/chat-removal.ts"
import { openCalls, type ToolCallPart } from "../transcript/message-parts.ts"
import { addParts, type AnswerKey } from "../transcript/transcript-store.ts"
import { denyWaiting, insertWaiting, type DecidedCall, type WaitingCall } from "./approval-store.ts"

/** Resources that an answer has used so far. */
export const Spent = z.object({
  calls: z.number(),
  milliseconds: z.number(),
  /** Tokens of the context used by results. */
  tokens: z.number(),
})
export type Spent = z.infer<typeof Spent>

/** A delegated task that waits for its owner, with everything its assistant needs to resume it. */
export interface ParkedTask {
  assistantId: string
  /** Its answer so far. */
  parts: MessagePart[]
  spent: Spent
  /** Waiting tasks that it delegated, by tool call id. */
  tasks: Record<string, ParkedTask>
}

const ParkedTask: z.ZodType<ParkedTask> = z.object({
  assistantId: z.string(),
  parts: MessagePart.array(),
  spent: Spent,
  tasks: z.lazy(() => record(ParkedTask)),
})

/** Everything a parked turn needs to resume, in addition to its chat. Earlier versions stored less. */
export const ParkedTurn = z.object({
  assistantId: z.string().nullable(),
  /** Tools that are enabled without an assistant. */
  builtInTools: record(z.boolean()).default({}),
  projectInstructions: z.string().default(""),
  isByScopedKey: z.boolean().default(false),
  vectorIds: z.array(z.string()),
  generated: z.union([z.literal("all"), z.array(z.string())]).default([]),
  rewrite: Rewrite.default("auto"),
  filter: FileFilter.nullable().default(null),
  modelId: z.string().nullable().default(null),
  boxAddress: z.string(),
  origin: Origin,
  spent: Spent,
  /** Scopes of the credential that asked; null: full rights. */
  scopes: z.array(Scope).nullable().default(null),
  isUnconfirmed: z.boolean().default(false),
  /** Data sent out by the answer and its tasks. */
  sent: z
    .object({ addresses: z.array(z.string()), calls: z.number().default(0) })
    .default({ addresses: [], calls: 0 }),
  /** Waiting delegated tasks, by the tool call that delegated them. */
  tasks: record(ParkedTask).default({}),
})
export type ParkedTurn = z.infer<typeof ParkedTurn>

/** Returns calls without a result, of an answer and of its delegated tasks. */
export function openCallsOfAll(
  parts: readonly MessagePart[],
  tasks: Readonly<Record<string, ParkedTask>>,
): ToolCallPart[] {
  const delegated = Object.values(tasks).flatMap((task) => openCallsOfAll(task.parts, task.tasks))
  return [...openCalls(parts), ...delegated]
}

/** A parked turn and its location. */
export interface Parked extends AnswerKey {
  turn: ParkedTurn
}

/** Returns parked turns without waiting calls, of one chat or of all. Unreadable turns are left in place. */
export async function decidedTurns(
  db: DbOf<"chat">,
  chat?: Pick<AnswerKey, "ownerId" | "chatId">,
): Promise<Parked[]> {
  let query = db
    .selectFrom("parkedTurns")
    .selectAll()
    .where(isOfShownChat("parkedTurns"))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("approvals")
            .select("toolCallId")
            .whereRef("approvals.messageId", "=", "parkedTurns.messageId")
            .where("state", "=", "waiting"),
        ),
      ),
    )
  if (chat) query = query.where("ownerId", "=", chat.ownerId).where("chatId", "=", chat.chatId)
  return (await query.execute()).flatMap(({ turn: stored, ...key }) => {
    const turn = readStored(ParkedTurn, stored)
    return turn ? [{ ...key, turn }] : []
  })
}

/** Parks a turn whose calls wait from `now` on, in milliseconds since 1970. */
export async function park(
  transaction: TransactionOf<"chat">,
  { turn, ...key }: Parked,
  calls: readonly WaitingCall[],
  now: number,
): Promise<PendingApproval[]> {
  const pending = await insertWaiting(transaction, key, calls, now)
  await transaction
    .insertInto("parkedTurns")
    .values({ ...key, turn: JSON.stringify(turn) })
    .execute()
  return pending
}

/** Whether a turn of the chat waits for its owner, or to be resumed. */
export async function isParked(
  db: DbOf<"chat">,
  { ownerId, chatId }: Pick<AnswerKey, "ownerId" | "chatId">,
): Promise<boolean> {
  const parked = await db
    .selectFrom("parkedTurns")
    .select("messageId")
    .where(isOfShownChat("parkedTurns"))
    .where("ownerId", "=", ownerId)
    .where("chatId", "=", chatId)
    .executeTakeFirst()
  return parked !== undefined
}

/** Removes a turn from the store in order to resume it. Returns false if it was already removed or its chat is deleted. */
export async function unpark(transaction: TransactionOf<"chat">, messageId: string): Promise<boolean> {
  const { numDeletedRows } = await transaction
    .deleteFrom("parkedTurns")
    .where("messageId", "=", messageId)
    .where(isOfShownChat("parkedTurns"))
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/**
 * Called when the user asks something else instead of deciding. Waiting calls are denied and their turns aren't resumed. Returns these
 * calls.
 */
export async function abandonParked(
  transaction: TransactionOf<"chat">,
  { ownerId, chatId }: Pick<AnswerKey, "ownerId" | "chatId">,
): Promise<DecidedCall[]> {
  const parked = await transaction
    .deleteFrom("parkedTurns")
    .where("ownerId", "=", ownerId)
    .where("chatId", "=", chatId)
    .returning("messageId")
    .execute()
  const denied: DecidedCall[] = []
  for (const { messageId } of parked) {
    denied.push(...(await denyWaiting(transaction, messageId)))
    await addParts(transaction, messageId, (parts) =>
      openCalls(parts).map(({ toolCallId }): MessagePart => ({
        type: "tool-result",
        toolCallId,
        result: abandoned,
        deniedByUser: true,
      })),
    )
  }
  return denied
}

const abandoned = { error: "The user went on without allowing this call, so it was not run." }

/** Thrown by the delegating tool while its task waits for approval. Its call has no result yet. */
export class TaskWaits extends Error {
  override readonly name = "TaskWaits"
  readonly task: ParkedTask
  readonly waiting: readonly WaitingCall[]
  readonly refused: readonly string[]

  constructor(task: ParkedTask, waiting: readonly WaitingCall[], refused: readonly string[]) {
    super("A delegated task waits for its owner.")
    this.task = task
    this.waiting = waiting
    this.refused = refused
  }
}
