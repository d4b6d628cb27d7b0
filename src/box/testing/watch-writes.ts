import type { KyselyPlugin } from "kysely"
import type { Database } from "../core/database/database.ts"

/** Wraps a database and records the largest number of rows changed by one statement. */
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
