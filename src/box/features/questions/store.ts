import type { Selectable } from "kysely"
import { z } from "zod"
import type { Page } from "../../../shared/contract/primitives.ts"
import type { Question } from "../../../shared/contract/questions.ts"
import { ownTables, type AnyTransaction, type DbOf } from "../../core/database/database.ts"
import { readStored } from "../../core/database/sql-helpers.ts"
import type { TablesOf } from "../../core/database/table-owners.ts"
import { open } from "./has-open-questions.ts"

export type QuestionRow = Selectable<TablesOf<"questions">["questions"]>
/** How a question ends. */
export type Decision = Pick<QuestionRow, "status" | "answer" | "answeredAt">

/** Maximum number of decided questions kept per person. */
const maxKept = 1_000

const Choices = z.array(z.string())

export const present = (row: QuestionRow): Question => ({
  id: row.id,
  title: row.title,
  description: row.description,
  choices: readStored(Choices, row.choices) ?? [],
  default: row.defaultChoice,
  status: row.status,
  answer: row.answer,
  answeredAt: row.answeredAt,
  expiresAt: row.expiresAt,
  createdAt: row.createdAt,
})

/** Stores questions. */
export function createQuestionStore(db: DbOf<"questions">) {
  const openOnes = (tables: Pick<DbOf<"questions">, "selectFrom"> = db) =>
    tables.selectFrom("questions").where("status", "=", open)

  return {
    find: (id: string): Promise<QuestionRow | undefined> =>
      db.selectFrom("questions").selectAll().where("id", "=", id).executeTakeFirst(),

    /** Open questions, newest first; only those asked with the key `askedWith`, unless that is null. */
    async list(
      ownerId: string,
      askedWith: string | null,
      { limit, offset }: Page,
    ): Promise<{ total: number; rows: QuestionRow[] }> {
      let listed = openOnes().where("ownerId", "=", ownerId)
      if (askedWith !== null) listed = listed.where("askedWith", "=", askedWith)
      const { total } = await listed
        .select((e) => e.fn.countAll<number>().as("total"))
        .executeTakeFirstOrThrow()
      const rows = await listed.selectAll().orderBy("id", "desc").limit(limit).offset(offset).execute()
      return { total, rows }
    },

    async countOpen(transaction: AnyTransaction, ownerId: string): Promise<number> {
      const { total } = await openOnes(ownTables<"questions">(transaction))
        .where("ownerId", "=", ownerId)
        .select((e) => e.fn.countAll<number>().as("total"))
        .executeTakeFirstOrThrow()
      return total
    },

    /** Stores a question and deletes the oldest decided ones. */
    async insert(transaction: AnyTransaction, row: QuestionRow): Promise<void> {
      const tables = ownTables<"questions">(transaction)
      await tables.insertInto("questions").values(row).execute()
      const decided = tables
        .selectFrom("questions")
        .select("id")
        .where("ownerId", "=", row.ownerId)
        .where("status", "!=", open)
      const surplus = await decided.orderBy("id", "desc").offset(maxKept).limit(1).executeTakeFirst()
      if (surplus)
        await tables
          .deleteFrom("questions")
          .where("id", "in", decided.where("id", "<=", surplus.id))
          .execute()
    },

    /** Returns whether the question was still open. */
    async decide(transaction: AnyTransaction, id: string, decision: Decision): Promise<boolean> {
      const { numUpdatedRows } = await ownTables<"questions">(transaction)
        .updateTable("questions")
        .set(decision)
        .where("id", "=", id)
        .where("status", "=", open)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },

    /** Overdue questions, first to expire first. */
    due: (now: string, max: number): Promise<QuestionRow[]> =>
      openOnes().selectAll().where("expiresAt", "<=", now).orderBy("expiresAt").limit(max).execute(),

    /** When the next question expires; null if none is open. */
    async nextDue(): Promise<string | null> {
      const first = openOnes().select((e) => e.fn.min<string | null>("expiresAt").as("at"))
      return (await first.executeTakeFirst())?.at ?? null
    },
  }
}

export type QuestionStore = ReturnType<typeof createQuestionStore>
