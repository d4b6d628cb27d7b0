import type { KyselyPlugin } from "kysely"
import type { Database } from "../core/database/database.ts"

/** The database, and how many rows the largest statement through it has changed. */
export function watchWrites(db: Database): { db: Database; largest(): number } {
  let largest = 0
  const recorder: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      largest = Math.max(largest, Number(result.numAffectedRows ?? 0))
      return result
    },
  }
  return { db: db.withPlugin(recorder), largest: () => largest }
}
