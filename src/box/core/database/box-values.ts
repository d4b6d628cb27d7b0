import type { AlsoWrite, DbOf } from "./database.ts"

/** Global values of the box by key, such as its settings. They are rows of `settings`, which no other code uses. */
export interface BoxValues {
  read(key: string): Promise<string | null>
  all(): Promise<{ key: string; value: string }[]>
  /** Writes all values and the additional changes, or nothing. */
  write(values: readonly { key: string; value: string }[], also?: AlsoWrite): Promise<void>
  remove(...keys: string[]): Promise<void>
}

export function createBoxValues(db: DbOf<"core">): BoxValues {
  return {
    async read(key) {
      const row = await db.selectFrom("settings").select("value").where("key", "=", key).executeTakeFirst()
      return row?.value ?? null
    },

    all: () => db.selectFrom("settings").selectAll().execute(),

    write: (values, also) =>
      db.transaction().execute(async (trx) => {
        if (values.length > 0)
          await trx
            .insertInto("settings")
            .values(values)
            .onConflict((conflict) =>
              conflict.column("key").doUpdateSet((e) => ({ value: e.ref("excluded.value") })),
            )
            .execute()
        await also?.(trx)
      }),

    async remove(...keys) {
      await db.deleteFrom("settings").where("key", "in", keys).execute()
    },
  }
}
