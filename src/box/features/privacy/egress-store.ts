import { sql, type Expression, type Selectable, type SqlBool } from "kysely"
import { EgressOutcome, EgressPurpose } from "../../../shared/contract/privacy.ts"
import type { Page } from "../../../shared/contract/primitives.ts"
import type { DbOf } from "../../core/database/database.ts"
import type { TablesOf } from "../../core/database/table-owners.ts"
import type { ConnectionRecord } from "../../core/outbound/outbound.ts"

export interface EgressFilter {
  purpose?: EgressPurpose | undefined
  /** Part of the host, ignoring case. */
  host?: string | undefined
}

/** The reader, and whose connections they see. Chats and assistants of other people aren't named. */
export interface EgressReader {
  userId: string
  /** True for an owner, who sees everyone's connections. */
  everyones: boolean
}

export type EgressRow = Selectable<TablesOf<"privacy">["egress"]>

/** Stores records in SQLite. */
export function createEgressStore(db: DbOf<"privacy">) {
  const selection = ({ userId, everyones }: EgressReader, { purpose, host }: EgressFilter) =>
    db.selectFrom("egress").where((e) => {
      // Unknown purposes, as in an altered backup or from a later version, aren't shown.
      const conditions: Expression<SqlBool>[] = [
        e("egress.purpose", "in", EgressPurpose.options),
        e("egress.outcome", "in", EgressOutcome.options),
      ]
      if (!everyones) conditions.push(e("egress.userId", "=", userId))
      if (purpose !== undefined) conditions.push(e("egress.purpose", "=", purpose))
      if (host) conditions.push(sql<SqlBool>`instr(egress.host, ${host.toLowerCase()}) > 0`)
      return e.and(conditions)
    })

  return {
    /** Adds records, or updates existing ones. */
    async put(records: readonly ConnectionRecord[]): Promise<void> {
      await db
        .insertInto("egress")
        .values([...records])
        .onConflict((conflict) =>
          conflict.column("id").doUpdateSet((e) => ({
            durationMs: e.ref("excluded.durationMs"),
            outcome: e.ref("excluded.outcome"),
            bytesSent: e.ref("excluded.bytesSent"),
            bytesReceived: e.ref("excluded.bytesReceived"),
          })),
        )
        .execute()
    },

    async count(reader: EgressReader, filter: EgressFilter): Promise<number> {
      const { total } = await selection(reader, filter)
        .select((e) => e.fn.countAll<number>().as("total"))
        .executeTakeFirstOrThrow()
      return total
    },

    /** Newest first; only records before the ID `before`, or all. */
    list: (
      reader: EgressReader,
      filter: EgressFilter,
      { limit, offset }: Page,
      before?: string,
    ): Promise<EgressRow[]> =>
      selection(reader, filter)
        .$if(before !== undefined, (query) => query.where("egress.id", "<", before ?? ""))
        .selectAll()
        .orderBy("egress.id", "desc")
        .limit(limit)
        .offset(offset)
        .execute(),

    async clear(): Promise<number> {
      const { numDeletedRows } = await db.deleteFrom("egress").executeTakeFirst()
      return Number(numDeletedRows)
    },

    /** Ends connections that an earlier run left open. */
    async closeOpen(): Promise<void> {
      await db.updateTable("egress").set({ outcome: "failed" }).where("outcome", "=", "open").execute()
    },

    /** Deletes records that started before a time, and all but the newest. */
    async trim(before: string, maxKept: number): Promise<void> {
      await db
        .deleteFrom("egress")
        .where((e) =>
          e.or([
            e("startedAt", "<", before),
            e("id", "<=", e.selectFrom("egress").select("id").orderBy("id", "desc").limit(1).offset(maxKept)),
          ]),
        )
        .execute()
    },
  }
}
