import type { Table } from "@lancedb/lancedb"
import { fromId, quotedList } from "./filters.ts"

/** Tells which ids a table has already. */
export function createHeldIds(table: Table) {
  /** The table was found to hold no id from this one on. */
  let noneFrom: string | undefined

  return {
    async of(ids: string[]): Promise<Set<string>> {
      // Ids of new passages are later than all others, which is told faster than by looking for each of them, and only once.
      const [first = ""] = ids.toSorted()
      if (noneFrom !== undefined && first >= noneFrom) return new Set()
      const later = await table.query().where(fromId(first)).select(["id"]).limit(1).toArray()
      if (later.length === 0) {
        noneFrom = first
        return new Set()
      }
      const held: { id: string }[] = await table
        .query()
        .where(`id IN (${quotedList(ids)})`)
        .select(["id"])
        .toArray()
      return new Set(held.map(({ id }) => id))
    },

    /** Any id may have been added. */
    changed(): void {
      noneFrom = undefined
    },
  }
}
