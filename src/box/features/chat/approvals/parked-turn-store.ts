import type { MessagePart, PendingApproval } from "../../../../shared/contract/chat.ts"
import type { DbOf, TransactionOf } from "../../../core/database/database.ts"
import { readStored } from "../../../core/database/stored-json.ts"
import { isOfShownChat } from "../transcript/chat-removal.ts"
import { openCalls } from "../transcript/message-parts.ts"
import { addParts, type AnswerKey } from "../transcript/transcript-store.ts"
import { denyWaiting, insertWaiting, type DecidedCall } from "./approval-store.ts"
import { ParkedTurn } from "./parked-turn.ts"
import type { WaitingCall } from "./waiting-call.ts"

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
