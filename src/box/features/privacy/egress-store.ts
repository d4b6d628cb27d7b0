import { sql, type Expression, type Selectable, type SqlBool } from "kysely"
import { EgressOutcome, EgressPurpose } from "../../../shared/contract/privacy.ts"
import type { Page } from "../../../shared/contract/primitives.ts"
import type { DbOf } from "../../core/database/database.ts"
import type { TablesOf } from "../../core/database/table-owners.ts"
import type { ConnectionRecord } from "../../core/outbound/connection-record.ts"

export interface EgressFilter {
  purpose?: EgressPurpose | undefined
  /** Part of the host, in any case. */
  host?: string | undefined
}

/** Whose connections are read, and by whom: of other people's neither chats nor assistants are named. */
export interface EgressReader {
  userId: string
  /** An owner sees everyone's. */
  everyones: boolean
}

export type EgressRow = Selectable<TablesOf<"privacy">["egress"]>

/** Records in SQLite. */
export function createEgressStore(db: DbOf<"privacy">) {
  const selection = ({ userId, everyones }: EgressReader, { purpose, host }: EgressFilter) =>
    db.selectFrom("egress").where((e) => {
      // What isn't known, as of an altered backup or a later version, isn't shown.
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
    /** Adds records, or changes them where they are there. */
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

    /** Newest first; `before` an id, or all. */
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

    /** What an earlier run of the box didn't see the end of. */
    async closeOpen(): Promise<void> {
      await db.updateTable("egress").set({ outcome: "failed" }).where("outcome", "=", "open").execute()
    },

    /** Deletes what began before, and all but the newest. */
    async trim(before: string, mostKept: number): Promise<void> {
      await db
        .deleteFrom("egress")
        .where((e) =>
          e.or([
            e("startedAt", "<", before),
            e(
              "id",
              "<=",
              e.selectFrom("egress").select("id").orderBy("id", "desc").limit(1).offset(mostKept),
            ),
          ]),
        )
        .execute()
    },
  }
}
