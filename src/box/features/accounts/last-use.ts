import type { DbOf } from "../../core/database/database.ts"
import { timestamp } from "../../core/ids.ts"

/** Precision of `lastUsedAt`. Writing it on each request would cost more than the request itself. */
const granularityMs = 60_000

/** Records when each key was last used. */
export function createLastUse(db: DbOf<"accounts">) {
  /** Time of the last write for each key, from `performance.now`. */
  const written = new Map<string, number>()
  return {
    async record(id: string): Promise<void> {
      const now = performance.now()
      if (now - (written.get(id) ?? -Infinity) < granularityMs) return
      written.set(id, now)
      await db
        .updateTable("apiKeys")
        .set({ lastUsedAt: timestamp() })
        .where("id", "=", id)
        .execute()
        .catch(() => written.delete(id)) // on a full disk keys still work; the next use tries again
    },
    forget: (id: string): void => void written.delete(id),
  }
}
