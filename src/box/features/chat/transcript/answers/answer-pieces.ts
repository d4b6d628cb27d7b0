import { sql } from "kysely"
import type { FinishReason, MessagePart, Role } from "../../../../../shared/contract/chat.ts"
import { AppError } from "../../../../../shared/contract/errors.ts"
import { sentence } from "../../../../../shared/sentences/sentences.ts"
import { among } from "../../../../core/database/sql-helpers.ts"
import type { DbOf, TransactionOf } from "../../../../core/database/database.ts"
import { timestamp } from "../../../../core/ids.ts"
import type { ContextLabel } from "../../../../tools/tool.ts"
import { createAnswerRecord, toEvent, readParts } from "../message-parts.ts"

/**
 * An answer is stored in pieces while it is written, so that disk writes grow only with its text. The pieces become its message when it
 * ends, or at the next start after a crash.
 */

/** The final content of an answer. */
export interface WholeAnswer {
  content: string
  parts: MessagePart[]
  finishReason: FinishReason
  /** Labels of what its model has read; null: unknown. */
  labels: readonly ContextLabel[] | null
}

export interface StoredRow {
  id: string
  role: Role
  content: string
  /** JSON of `MessagePart[]`. */
  parts: string
  finishReason: FinishReason | null
}

/** Completes stored messages: adds all stored pieces to those that are still being written. */
export async function mergePieces<Row extends StoredRow>(
  db: DbOf<"chat">,
  rows: readonly Row[],
): Promise<readonly Row[]> {
  const unended = rows.filter(({ role, finishReason }) => role === "assistant" && finishReason === null)
  if (unended.length === 0) return rows
  const stored = await db
    .selectFrom("answerPieces")
    .select(["messageId", "parts"])
    .where("messageId", "in", among(unended.map(({ id }) => id)))
    .orderBy("id")
    .execute()
  const pieces = Map.groupBy(stored, ({ messageId }) => messageId)
  return rows.map((row) => fold(row, pieces.get(row.id) ?? []))
}

function fold<Row extends StoredRow>(row: Row, pieces: readonly { parts: string }[]): Row {
  if (pieces.length === 0) return row
  const record = createAnswerRecord(readParts(row.parts))
  for (const part of pieces.flatMap(({ parts }) => readParts(parts))) record.add(toEvent(part))
  return { ...row, content: record.content(), parts: JSON.stringify(record.parts()) }
}

/**
 * Stores an answer that has ended. Its labels are unknown until then, so an answer cut off by a crash is treated as having read anything.
 */
export async function storeWhole(
  transaction: TransactionOf<"chat">,
  messageId: string,
  { content, parts, finishReason, labels }: WholeAnswer,
): Promise<void> {
  const readLabels = labels === null ? null : JSON.stringify(labels)
  await transaction
    .updateTable("messages")
    .set({ content, parts: JSON.stringify(parts), finishReason, readLabels })
    .where("id", "=", messageId)
    .execute()
  await transaction.deleteFrom("answerPieces").where("messageId", "=", messageId).execute()
}

/** 1 if the chat belongs to the app. Scripts read their own answers and need no notification. */
export const isFromApp = sql<number>`CASE WHEN origin = 'APP' THEN 1 ELSE 0 END`

/**
 * Ends answers that were being written when the box died, except those that are resumed. Keeps their text and sets their stream to `error`.
 * Users who asked in the app are to be notified.
 */
export async function closeInterrupted(
  transaction: TransactionOf<"chat">,
  resumedIds: readonly string[],
): Promise<void> {
  const interrupted = await transaction
    .selectFrom("messages")
    .select(["id", "role", "content", "parts", "finishReason"])
    .where((e) =>
      e.or([
        e("id", "in", e.selectFrom("answerPieces").select("messageId")),
        e("id", "in", e.selectFrom("conversations").select("headId").where("streamStatus", "=", "active")),
      ]),
    )
    .where("id", "not in", among(resumedIds))
    .execute()
  const { text, field } = sentence("chat.interrupted")
  const error: MessagePart = { type: "error", error: text, code: "unavailable", ...field }
  for (const row of await mergePieces(transaction, interrupted)) {
    const parts = [...readParts(row.parts), error]
    await storeWhole(transaction, row.id, {
      content: row.content,
      parts,
      finishReason: "error",
      labels: null,
    })
  }
  await transaction
    .updateTable("conversations")
    .set({
      streamStatus: "error",
      streamActivityAt: timestamp(),
      untold: isFromApp,
      unread: isFromApp,
    })
    .where("streamStatus", "=", "active")
    .where((e) => e.or([e("headId", "is", null), e("headId", "not in", among(resumedIds))]))
    .execute()
}

/** Maximum number of pieces per statement. */
const maxTogether = 500

interface Piece {
  row: { messageId: string; parts: string }
  stored(): void
  failed(error: unknown): void
}

/** Returns whether the database is unavailable, in which case no other piece can be stored either. */
const isAway = (error: unknown) => error instanceof AppError && error.code === "unavailable"

/**
 * Stores what was added to an answer since its previous piece. Pieces that arrive during a write are stored together with the next one.
 * Thousands of answers therefore need one database connection, and a piece that can't be stored doesn't block others.
 */
export function createPieceWriter(
  db: DbOf<"chat">,
): (messageId: string, parts: MessagePart[]) => Promise<void> {
  let waiting: Piece[] = []
  let isStoring = false

  async function store(pieces: Piece[]): Promise<void> {
    try {
      const rows = pieces.map(({ row }) => row)
      await db.insertInto("answerPieces").values(rows).execute()
      for (const piece of pieces) piece.stored()
    } catch (error) {
      if (pieces.length === 1 || isAway(error)) for (const piece of pieces) piece.failed(error)
      else for (const piece of pieces) await store([piece])
    }
  }

  async function storeAll(): Promise<void> {
    isStoring = true
    while (waiting.length > 0) {
      const next = waiting.slice(0, maxTogether)
      waiting = waiting.slice(maxTogether)
      await store(next)
    }
    isStoring = false
  }

  return (messageId, parts) =>
    new Promise((stored, failed) => {
      waiting.push({ row: { messageId, parts: JSON.stringify(parts) }, stored, failed })
      if (!isStoring) void storeAll()
    })
}
