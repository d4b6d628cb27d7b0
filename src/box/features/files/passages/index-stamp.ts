import type { Database } from "../../../core/database/database.ts"
import { isDiskFull } from "../../../core/disk/is-disk-full.ts"
import type { IndexStamp } from "../../../engines/vectors/index-files.ts"

const key = "indexStamp"

/** In the database itself, so that an older copy of it has an older one, or none. */
export function createIndexStamp(db: Database): IndexStamp {
  return {
    async read() {
      const row = await db.selectFrom("settings").select("value").where("key", "=", key).executeTakeFirst()
      return row?.value ?? null
    },
    async write(value) {
      const insert = db.insertInto("settings").values({ key, value })
      await insert.onConflict((conflict) => conflict.column("key").doUpdateSet({ value })).execute()
    },
    async remove() {
      const gone = db.deleteFrom("settings").where("key", "=", key).execute()
      await gone.catch((error: unknown) => {
        if (!isDiskFull(error)) throw error // then the box only reads
      })
    },
  }
}
