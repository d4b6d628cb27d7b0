import type { Database } from "../../core/database.ts"

/** Counts uses per subject in time windows. On PostgreSQL, all servers share the counts. */
export interface Windows {
  /** Takes one use. Returns 0, or the seconds until the window ends if `most` are used up. */
  take(subject: string, most: number, lengthMs: number): Promise<number>
  /** Returns one use to the window. */
  giveBack(subject: string): Promise<void>
  reset(subject: string): Promise<void>
  /** Removes windows that started before this time. */
  sweep(before: number): Promise<void>
}

export function createWindows(db: Database, now: () => number = Date.now): Windows {
  return {
    async take(subject, most, lengthMs) {
      const time = now()
      const oldest = time - lengthMs
      // A single statement, so that concurrent requests can't exceed the limit. A used-up window isn't written.
      const taken = await db
        .insertInto("rateWindows")
        .values({ subject, startedAt: time, used: 1 })
        .onConflict((conflict) =>
          conflict
            .column("subject")
            .doUpdateSet((row) => ({
              startedAt: row
                .case()
                .when("rateWindows.startedAt", "<=", oldest)
                .then(time)
                .else(row.ref("rateWindows.startedAt"))
                .end(),
              used: row
                .case()
                .when("rateWindows.startedAt", "<=", oldest)
                .then(1)
                .else(row("rateWindows.used", "+", 1))
                .end(),
            }))
            .where((row) =>
              row.or([row("rateWindows.startedAt", "<=", oldest), row("rateWindows.used", "<", most)]),
            ),
        )
        .returning("used")
        .executeTakeFirst()
      if (taken !== undefined && taken.used <= most) return 0
      const window = await db
        .selectFrom("rateWindows")
        .select("startedAt")
        .where("subject", "=", subject)
        .executeTakeFirst()
      return Math.max(1, Math.ceil(((window?.startedAt ?? time) + lengthMs - time) / 1000))
    },

    async giveBack(subject) {
      await db
        .updateTable("rateWindows")
        .set((row) => ({ used: row("used", "-", 1) }))
        .where("subject", "=", subject)
        .where("used", ">", 0)
        .execute()
    },

    async reset(subject) {
      await db.deleteFrom("rateWindows").where("subject", "=", subject).execute()
    },

    async sweep(before) {
      await db.deleteFrom("rateWindows").where("startedAt", "<", before).execute()
    },
  }
}
