import { createHash } from "node:crypto"
import type { Transaction } from "kysely"
import type {
  ApprovalAnswer,
  ApprovalDelegation,
  MessagePart,
  PendingApproval,
} from "../../../../shared/contract/chat.ts"
import type { AgeTimes } from "../../../core/age-clock.ts"
import type { Database } from "../../../core/database/database.ts"
import type { DatabaseSchema } from "../../../core/database/database-schema.ts"
import { timestamp } from "../../../core/ids.ts"
import type { Decided, Remembered, SentOut, Spent, WaitingCall } from "../tool-calls/call-tools.ts"
import type { ParkedTask } from "./parked-task.ts"
import { openCalls, type ToolCallPart } from "../tool-calls/tool-messages.ts"
import type { Turn } from "../turn/turn.ts"

/** What a parked turn needs to go on, beside what its conversation holds. */
export interface ParkedTurn {
  assistantId: string | null
  vectorIds: string[]
  boxAddress: string
  origin: "API" | "APP"
  spent: Spent
  /** Of the credential that asked, and what was sent out; missing where it was parked by a version that had none. */
  scopes?: Turn["scopes"]
  sent?: { addresses: string[]; calls?: SentOut["calls"] }
  /** Delegated tasks that wait, by the calls that gave them; missing where it was parked by a version that had none. */
  tasks?: Record<string, ParkedTask>
}

/** A turn that is parked, and where. */
export interface Parked {
  ownerId: string
  chatId: string
  messageId: string
  turn: ParkedTurn
}

export type StoredApproval = DatabaseSchema["approvals"]

/** How long a call waits for its owner. */
const waitMs = 24 * 60 * 60 * 1000

/** Calls that wait for their owner, and the turns that wait for them. Everything is one owner's. */
export function createApprovalStore(db: Database, times: Pick<AgeTimes, "latest">) {
  const waitingIn = (ownerId: string, chatId: string) =>
    db
      .selectFrom("approvals")
      .selectAll()
      .where("ownerId", "=", ownerId)
      .where("chatId", "=", chatId)
      .where("state", "=", "waiting")
      .orderBy("createdAt")
      .orderBy("toolCallId")
      .execute()

  return {
    waitingIn,

    allWaiting: () => db.selectFrom("approvals").selectAll().where("state", "=", "waiting").execute(),

    /** Newest first, because ids of models elsewhere may come again. */
    find: (ownerId: string, chatId: string, toolCallId: string): Promise<StoredApproval | undefined> =>
      db
        .selectFrom("approvals")
        .selectAll()
        .where("ownerId", "=", ownerId)
        .where("chatId", "=", chatId)
        .where("toolCallId", "=", toolCallId)
        .orderBy("createdAt", "desc")
        .executeTakeFirst(),

    /** Stores the decision if the call still waits; whether it did. */
    async answer(
      { ownerId, chatId, messageId, toolCallId, toolName, identity }: StoredApproval,
      { decision, remember }: ApprovalAnswer,
    ): Promise<boolean> {
      return db.transaction().execute(async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable("approvals")
          .set({ state: decision === "allow" ? "allowed" : "denied" })
          .where("messageId", "=", messageId)
          .where("toolCallId", "=", toolCallId)
          .where("state", "=", "waiting")
          .executeTakeFirst()
        if (numUpdatedRows === 0n) return false
        if (decision === "allow" && remember === "chat") {
          await transaction
            .insertInto("rememberedTools")
            .values({ ownerId, chatId, toolName, identity })
            .onConflict((conflict) => conflict.doUpdateSet({ identity }))
            .execute()
        }
        return true
      })
    },

    async remembered(ownerId: string, chatId: string): Promise<Remembered> {
      const rows = await db
        .selectFrom("rememberedTools")
        .select(["toolName", "identity"])
        .where("ownerId", "=", ownerId)
        .where("chatId", "=", chatId)
        .execute()
      return new Map(rows.map(({ toolName, identity }) => [toolName, identity]))
    },

    /** Marks the calls whose time is over. Those that were asked about when the clock was ahead wait no longer than others. */
    async expire(): Promise<void> {
      const waiting = () => db.updateTable("approvals").where("state", "=", "waiting")
      await waiting().set({ state: "expired" }).where("expiresAt", "<=", timestamp()).execute()
      const expiresAt = timestamp(times.latest() + waitMs)
      await waiting().set({ expiresAt }).where("expiresAt", ">", expiresAt).execute()
    },

    /** Parked turns none of whose calls waits any more; of one chat, or of all. Those of disabled people rest. */
    async answered(ownerId?: string, chatId?: string): Promise<Parked[]> {
      let query = db
        .selectFrom("parkedTurns")
        .selectAll()
        .where("ownerId", "in", db.selectFrom("users").select("id").where("disabledAt", "is", null))
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
      if (ownerId !== undefined) query = query.where("ownerId", "=", ownerId)
      if (chatId !== undefined) query = query.where("chatId", "=", chatId)
      const rows = await query.execute()
      return rows.map(({ turn, ...key }) => ({ ...key, turn: JSON.parse(turn) as ParkedTurn }))
    },

    /** What was decided about calls of an answer and its tasks, each bound to exactly what was asked about. */
    async decisions(messageId: string, calls: readonly ToolCallPart[]): Promise<Map<string, Decided>> {
      const rows = await db.selectFrom("approvals").selectAll().where("messageId", "=", messageId).execute()
      const decided = new Map<string, Decided>()
      for (const call of calls) {
        const row = rows.find(({ toolCallId }) => toolCallId === call.toolCallId)
        const isSame = row?.fingerprint === fingerprint(call)
        if (row && isSame && row.state !== "waiting")
          decided.set(call.toolCallId, { state: row.state, identity: row.identity })
      }
      return decided
    },
  }
}

export type ApprovalStore = ReturnType<typeof createApprovalStore>

/** Parks a turn whose calls wait from `now` on, in ms since 1970. */
export async function park(
  transaction: Transaction<DatabaseSchema>,
  { ownerId, chatId, messageId, turn }: Parked,
  calls: readonly WaitingCall[],
  now: number,
): Promise<PendingApproval[]> {
  const createdAt = timestamp(now)
  const expiresAt = timestamp(now + waitMs)
  const rows = calls.map(({ call, identity, code, reason, delegation }): StoredApproval => ({
    messageId,
    toolCallId: call.toolCallId,
    ownerId,
    chatId,
    toolName: call.toolName,
    args: JSON.stringify(call.args),
    fingerprint: fingerprint(call),
    identity,
    reasonCode: code,
    reason,
    delegation: delegation === undefined ? null : JSON.stringify(delegation),
    state: "waiting",
    createdAt,
    expiresAt,
  }))
  await transaction.insertInto("approvals").values(rows).execute()
  await transaction
    .insertInto("parkedTurns")
    .values({ messageId, ownerId, chatId, turn: JSON.stringify(turn) })
    .execute()
  return rows.map(toPending)
}

/** Takes a turn out to go on with it; false when somebody else did. */
export async function unpark(transaction: Transaction<DatabaseSchema>, messageId: string): Promise<boolean> {
  const { numDeletedRows } = await transaction
    .deleteFrom("parkedTurns")
    .where("messageId", "=", messageId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** The user went on without an answer: the calls that wait count as denied, and their turns stay as they are. */
export async function abandonParked(
  transaction: Transaction<DatabaseSchema>,
  ownerId: string,
  chatId: string,
): Promise<void> {
  const parked = await transaction
    .deleteFrom("parkedTurns")
    .where("ownerId", "=", ownerId)
    .where("chatId", "=", chatId)
    .returning("messageId")
    .execute()
  for (const { messageId } of parked) {
    await transaction
      .updateTable("approvals")
      .set({ state: "denied" })
      .where("messageId", "=", messageId)
      .where("state", "=", "waiting")
      .execute()
    const message = await transaction
      .selectFrom("messages")
      .select("parts")
      .where("id", "=", messageId)
      .executeTakeFirst()
    const parts = JSON.parse(message?.parts ?? "[]") as MessagePart[]
    const denied = openCalls(parts).map(({ toolCallId }): MessagePart => ({
      type: "tool-result",
      toolCallId,
      result: wentOn,
    }))
    await transaction
      .updateTable("messages")
      .set({ parts: JSON.stringify([...parts, ...denied]) })
      .where("id", "=", messageId)
      .execute()
  }
}

const wentOn = { error: "The user went on without allowing this call, so it was not run." }

export const toPending = (row: StoredApproval): PendingApproval => ({
  toolCallId: row.toolCallId,
  toolName: row.toolName,
  args: JSON.parse(row.args) as unknown,
  reason: row.reason,
  reasonCode: row.reasonCode,
  messageId: row.messageId,
  createdAt: row.createdAt,
  expiresAt: row.expiresAt,
  ...(row.delegation !== null && { delegation: JSON.parse(row.delegation) as ApprovalDelegation }),
})

/** Of exactly this tool with exactly these arguments. */
const fingerprint = ({ toolName, args }: ToolCallPart): string =>
  createHash("sha256")
    .update(JSON.stringify([toolName, args]))
    .digest("hex")
