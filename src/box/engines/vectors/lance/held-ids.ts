import type { Table } from "@lancedb/lancedb"
import { fromId, quotedList } from "./filters.ts"

/** Finds out which ids a table already contains. */
export function createHeldIds(table: Table) {
  /** The table contains no id from this one on. */
  let emptyFrom: string | undefined

  return {
    async of(ids: string[]): Promise<Set<string>> {
      // Ids of new passages are later than all others. Checking this once is faster than looking up each id.
      const [first = ""] = ids.toSorted()
      if (emptyFrom !== undefined && first >= emptyFrom) return new Set()
      const later = await table.query().where(fromId(first)).select(["id"]).limit(1).toArray()
      if (later.length === 0) {
        emptyFrom = first
        return new Set()
      }
      const held: { id: string }[] = await table
        .query()
        .where(`id IN (${quotedList(ids)})`)
        .select(["id"])
        .toArray()
      return new Set(held.map(({ id }) => id))
    },

    /** Call this after a change: any id may have been added. */
    changed(): void {
      emptyFrom = undefined
    },
  }
}
