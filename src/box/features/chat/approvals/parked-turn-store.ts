import type { MessagePart, PendingApproval } from "../../../../shared/contract/chat.ts"
import type { DbOf, TransactionOf } from "../../../core/database/database.ts"
import { readStored } from "../../../core/database/stored-json.ts"
import { isOfShownChat } from "../transcript/chat-removal.ts"
import { openCalls } from "../transcript/message-parts.ts"
import { addParts, type AnswerKey } from "../transcript/transcript-store.ts"
import { denyWaiting, insertWaiting, type DecidedCall } from "./approval-store.ts"
import { ParkedTurn } from "./parked-turn.ts"
import type { WaitingCall } from "./waiting-call.ts"

/** A turn that is parked, and where. */
export interface Parked extends AnswerKey {
  turn: ParkedTurn
}

/** Parked turns none of whose calls waits any more; of one chat, or of all. What can't be read is left where it is. */
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

/** Parks a turn whose calls wait from `now` on, in ms since 1970. */
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

/** Whether a turn of the chat waits for its owner, or for going on. */
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

/** Takes a turn out to go on with it; false when somebody else did, or where its chat is deleted. */
export async function unpark(transaction: TransactionOf<"chat">, messageId: string): Promise<boolean> {
  const { numDeletedRows } = await transaction
    .deleteFrom("parkedTurns")
    .where("messageId", "=", messageId)
    .where(isOfShownChat("parkedTurns"))
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/**
 * The user asked something else instead of deciding: the calls that wait count as denied, and their turns stay as they are.
 * Answers which calls those were.
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
