import { createHash } from "node:crypto"
import { sql } from "kysely"
import { z } from "zod"
import {
  ApprovalDelegation,
  type ApprovalAnswer,
  type PendingApproval,
} from "../../../../shared/contract/chat.ts"
import { SentenceBody } from "../../../../shared/contract/sentence.ts"
import type { AgeTimes } from "../../../core/age-clock.ts"
import type { DbOf, TransactionOf } from "../../../core/database/database.ts"
import { readStored } from "../../../core/database/sql-helpers.ts"
import type { TablesOf } from "../../../core/database/table-owners.ts"
import { timestamp } from "../../../core/ids.ts"
import type { Pause } from "../../../tools/policy/policy.ts"
import { isOfShownChat } from "../transcript/chat-removal.ts"
import type { ToolCallPart } from "../transcript/message-parts.ts"
import type { AnswerKey } from "../transcript/transcript-store.ts"

/** A call that waits for its owner's approval. */
export interface WaitingCall extends Pause {
  call: ToolCallPart
  /** Identity of the tool at the time of the request. */
  identity: string
  /** Arguments to use after approval. Defaults to those of the call. */
  args?: unknown
  /** Set if a delegated task makes the call. */
  delegation?: ApprovalDelegation
}

/** The outcome of a request, and the tool it was about (`Tool.identity`, empty without one). */
export interface Decision {
  state: "allowed" | "denied" | "expired"
  identity: string
  /** Arguments of the approved call. */
  args: unknown
}

/** Identities of the tools that the user allowed for the rest of the chat, by name. */
export type RememberedTools = ReadonlyMap<string, string>

export type StoredApproval = TablesOf<"chat">["approvals"]

/** A call that no longer waits for a decision. */
export type DecidedCall = Pick<StoredApproval, "ownerId" | "chatId" | "toolCallId" | "toolName">
const decidedCall = ["ownerId", "chatId", "toolCallId", "toolName"] as const

/** Time that a call waits for its owner's decision. */
const waitMs = 24 * 60 * 60 * 1000

/** Stores calls that wait or waited for approval. Each belongs to one owner. */
export class ApprovalStore {
  readonly #db: DbOf<"chat">
  readonly #times: Pick<AgeTimes, "latest">

  constructor(db: DbOf<"chat">, times: Pick<AgeTimes, "latest">) {
    this.#db = db
    this.#times = times
  }

  waitingIn(ownerId: string, chatId: string): Promise<StoredApproval[]> {
    return this.#selectByChat(ownerId, chatId)
      .where("state", "=", "waiting")
      .orderBy("createdAt")
      .orderBy("toolCallId")
      .execute()
  }

  #selectByChat(ownerId: string, chatId: string) {
    return this.#shown().where("ownerId", "=", ownerId).where("chatId", "=", chatId)
  }

  #shown() {
    return this.#db.selectFrom("approvals").selectAll().where(isOfShownChat("approvals"))
  }

  /** Returns the calls that were waiting in a chat when it was permanently deleted. */
  waitingInDeleted(ownerId: string, chatId: string): Promise<DecidedCall[]> {
    return this.#db
      .selectFrom("approvals")
      .select(decidedCall)
      .where("ownerId", "=", ownerId)
      .where("chatId", "=", chatId)
      .where("state", "=", "waiting")
      .where(({ not }) => not(isOfShownChat("approvals")))
      .execute()
  }

  listAllWaiting() {
    return this.#shown().where("state", "=", "waiting").execute()
  }

  /** Newest first, because remote models may reuse call ids. */
  find(ownerId: string, chatId: string, toolCallId: string): Promise<StoredApproval | undefined> {
    return this.#selectByChat(ownerId, chatId)
      .where("toolCallId", "=", toolCallId)
      .orderBy("createdAt", "desc")
      .orderBy("messageId", "desc")
      .executeTakeFirst()
  }

  /** Stores the owner's decision if the call still waits. Returns whether it did. */
  async decide(
    { ownerId, chatId, messageId, toolCallId, toolName, identity }: StoredApproval,
    { decision, remember }: ApprovalAnswer,
  ): Promise<boolean> {
    return this.#db.transaction().execute(async (transaction) => {
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
          .onConflict((conflict) =>
            conflict.columns(["ownerId", "chatId", "toolName"]).doUpdateSet({ identity }),
          )
          .execute()
      }
      return true
    })
  }

  /** Returns the decisions about the calls of an answer and its tasks. Each applies only to exactly the call that was shown. */
  async decisions(messageId: string, calls: readonly ToolCallPart[]): Promise<Map<string, Decision>> {
    const rows = await this.#db
      .selectFrom("approvals")
      .selectAll()
      .where("messageId", "=", messageId)
      .execute()
    const decisions = new Map<string, Decision>()
    for (const call of calls) {
      const row = rows.find(({ toolCallId }) => toolCallId === call.toolCallId)
      const isSame = row?.fingerprint === fingerprint(call)
      if (row && isSame && row.state !== "waiting")
        decisions.set(call.toolCallId, {
          state: row.state,
          identity: row.identity,
          args: readStored(z.unknown(), row.args),
        })
    }
    return decisions
  }

  async remembered(ownerId: string, chatId: string): Promise<RememberedTools> {
    const rows = await this.#db
      .selectFrom("rememberedTools")
      .select(["toolName", "identity"])
      .where("ownerId", "=", ownerId)
      .where("chatId", "=", chatId)
      .execute()
    return new Map(rows.map(({ toolName, identity }) => [toolName, identity]))
  }

  /** Returns the waiting calls of all visible chats, with the chat's title, oldest first. */
  listWaiting(
    ownerId: string,
    max: number,
  ): Promise<(StoredApproval & { title: string; assistantId: string | null })[]> {
    return this.#db
      .selectFrom("approvals")
      .innerJoin("conversations", (join) =>
        join
          .onRef("conversations.ownerId", "=", "approvals.ownerId")
          .onRef("conversations.id", "=", "approvals.chatId"),
      )
      .innerJoin("messages", "messages.id", "approvals.messageId")
      .selectAll("approvals")
      .select(["conversations.title", "messages.assistantId"])
      .where("approvals.ownerId", "=", ownerId)
      .where("approvals.state", "=", sql.lit("waiting")) // SQLite uses a partial index only for a literal value
      .where("approvals.expiresAt", ">", timestamp())
      .where("conversations.removed", "=", 0)
      .orderBy("approvals.createdAt")
      .orderBy("approvals.toolCallId")
      .limit(max)
      .execute()
  }

  /** Marks expired calls and returns them. Calls created while the clock was ahead wait no longer than others. */
  async expire(): Promise<DecidedCall[]> {
    const waiting = () => this.#db.updateTable("approvals").where("state", "=", "waiting")
    const expired = await waiting()
      .set({ state: "expired" })
      .where("expiresAt", "<=", timestamp())
      .returning(decidedCall)
      .execute()
    const expiresAt = timestamp(this.#times.latest() + waitMs)
    await waiting().set({ expiresAt }).where("expiresAt", ">", expiresAt).execute()
    return expired
  }
}

export const createApprovalStore = (db: DbOf<"chat">, times: Pick<AgeTimes, "latest">): ApprovalStore =>
  new ApprovalStore(db, times)

/** Stores calls of an answer that wait from `now` on, in milliseconds since 1970. */
export async function insertWaiting(
  transaction: TransactionOf<"chat">,
  key: AnswerKey,
  calls: readonly WaitingCall[],
  now: number,
): Promise<PendingApproval[]> {
  const createdAt = timestamp(now)
  const expiresAt = timestamp(now + waitMs)
  const rows = calls.map(
    ({ call, args = call.args, identity, code, reason, sentence, delegation }): StoredApproval => ({
      ...key,
      toolCallId: call.toolCallId,
      toolName: call.toolName,
      args: JSON.stringify(args),
      fingerprint: fingerprint(call),
      identity,
      reasonCode: code,
      reason,
      sentence: sentence === undefined ? null : JSON.stringify(sentence),
      delegation: delegation === undefined ? null : JSON.stringify(delegation),
      state: "waiting",
      createdAt,
      expiresAt,
    }),
  )
  await transaction.insertInto("approvals").values(rows).execute()
  return rows.map(toPending)
}

/** Marks the waiting calls of an answer as denied. Returns these calls. */
export const denyWaiting = (transaction: TransactionOf<"chat">, messageId: string): Promise<DecidedCall[]> =>
  transaction
    .updateTable("approvals")
    .set({ state: "denied" })
    .where("messageId", "=", messageId)
    .where("state", "=", "waiting")
    .returning(decidedCall)
    .execute()

export function toPending(row: StoredApproval): PendingApproval {
  const delegation = row.delegation === null ? undefined : readStored(ApprovalDelegation, row.delegation)
  const sentence = row.sentence === null ? undefined : readStored(SentenceBody, row.sentence)
  return {
    toolCallId: row.toolCallId,
    toolName: row.toolName,
    args: readStored(z.unknown(), row.args) ?? null,
    reason: row.reason,
    ...(sentence && { sentence }),
    reasonCode: row.reasonCode,
    messageId: row.messageId,
    createdAt: row.createdAt,
    expiresAt: row.expiresAt,
    ...(delegation && { delegation }),
  }
}

/** Identifies exactly this tool with exactly these arguments. */
const fingerprint = ({ toolName, args }: ToolCallPart): string =>
  createHash("sha256")
    .update(JSON.stringify([toolName, args]))
    .digest("hex")
