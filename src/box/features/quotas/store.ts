import { type Limits, type OwnLimits, maxLimit } from "../../../shared/contract/quotas.ts"
import type { DbOf } from "../../core/database/database.ts"
import { among } from "../../core/database/sql-helpers.ts"

export const kinds = ["files", "bytes", "answers", "tokens"] as const
export type Kind = (typeof kinds)[number]

/** All existing limits. */
export interface AllLimits {
  everybody: Limits
  people: ReadonlyMap<string, OwnLimits>
  workspaces: ReadonlyMap<string, Limits>
}

/** Number of each person's newest days that are kept in addition to today, whichever way the clock jumps. */
const retentionDays = 31

const none = { files: null, bytes: null, answers: null, tokens: null }

/** Stores limits and daily usage. */
export function createQuotaStore(db: DbOf<"quotas">) {
  return {
    async limits(): Promise<AllLimits> {
      let everybody: Limits = none
      const people = new Map<string, OwnLimits>()
      const workspaces = new Map<string, Limits>()
      for (const { kind, id, ...limits } of await db.selectFrom("quotas").selectAll().execute()) {
        if (kind === "everybody") everybody = limits
        else if (kind === "workspace") workspaces.set(id, limits)
        else
          people.set(
            id,
            mapped(limits, (limit) => (limit === -1 ? "unlimited" : limit)),
          )
      }
      return { everybody, people, workspaces }
    },

    async set(kind: "everybody" | "person" | "workspace", id: string, limits: OwnLimits): Promise<void> {
      const row = mapped(limits, (limit) => (limit === "unlimited" ? -1 : limit))
      await db.transaction().execute(async (trx) => {
        await trx.deleteFrom("quotas").where("kind", "=", kind).where("id", "=", id).execute()
        if (kinds.some((name) => row[name] !== null))
          await trx
            .insertInto("quotas")
            .values({ kind, id, ...row })
            .execute()
      })
    },

    /** The usage of each person on the day. People who aren't included used nothing. */
    async used(userIds: readonly string[], day: string) {
      const rows = await db
        .selectFrom("dailyUse")
        .selectAll()
        .where("day", "=", day)
        .where("userId", "in", among(userIds))
        .execute()
      return new Map(rows.map(({ userId, answers, tokens }) => [userId, { answers, tokens }]))
    },

    async add(userId: string, day: string, { answers = 0, tokens = 0 }): Promise<void> {
      await db.transaction().execute(async (trx) => {
        await trx
          .insertInto("dailyUse")
          .values({ userId, day, answers, tokens })
          .onConflict((conflict) =>
            conflict.columns(["userId", "day"]).doUpdateSet((e) => ({
              answers: e("dailyUse.answers", "+", answers),
              tokens: e("dailyUse.tokens", "+", tokens),
            })),
          )
          .execute()
        const kept = trx.selectFrom("dailyUse").select("day").where("userId", "=", userId)
        await trx
          .deleteFrom("dailyUse")
          .where("userId", "=", userId)
          .where("day", "<>", day)
          .where("day", "not in", kept.orderBy("day", "desc").limit(retentionDays))
          .execute()
      })
    },
  }
}

function mapped<From, To>(limits: Record<Kind, From>, to: (from: From) => To): Record<Kind, To> {
  const { files, bytes, answers, tokens } = limits
  return { files: to(files), bytes: to(bytes), answers: to(answers), tokens: to(tokens) }
}

/** More than any person can use in a day. The sum over all people of a server is still a safe integer. */
const maxUse = 1_000_000_000_000

/** Removes limits and usage values of a restored backup that no one can have set or reached, because answers with one would fail. */
export async function clampQuotas(db: DbOf<"quotas">): Promise<void> {
  for (const kind of kinds)
    await db
      .updateTable("quotas")
      .set({ [kind]: null })
      .where((e) =>
        e.or([
          e(kind, ">", maxLimit),
          e(kind, "<", -1),
          e.and([e(kind, "=", -1), e("quotas.kind", "<>", "person")]),
        ]),
      )
      .execute()
  await db
    .deleteFrom("dailyUse")
    .where((e) =>
      e.or((["answers", "tokens"] as const).flatMap((kind) => [e(kind, "<", 0), e(kind, ">", maxUse)])),
    )
    .execute()
}
