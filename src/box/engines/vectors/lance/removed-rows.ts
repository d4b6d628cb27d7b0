import type { Table } from "@lancedb/lancedb"
import { idList } from "./filters.ts"
import type { TablesLocation } from "./tables-location.ts"

/** LanceDB rewrites a file when a tenth of its rows is deleted. This share of its remaining rows is moved to reach that. */
const movedShare = 0.12
const idsPerUpdate = 2_000

/** Makes the next compaction rewrite every file of the table that still contains deleted rows. */
export async function markForRewriting(table: Table, place: Pick<TablesLocation, "names">): Promise<void> {
  for (const ids of (await idsByFile(table, await filesWithDeletions(table.name, place))).values()) {
    const moved = ids.slice(0, Math.ceil(ids.length * movedShare))
    for (let from = 0; from < moved.length; from += idsPerUpdate) {
      const some = idList(moved.slice(from, from + idsPerUpdate))
      await table.update({ where: `id IN (${some})`, valuesSql: { language: "language" } })
    }
  }
}

/** Returns the numbers of the table's row files ("fragments") that contain deleted rows, taken from the names of the deletion lists. */
async function filesWithDeletions(name: string, place: Pick<TablesLocation, "names">): Promise<Set<number>> {
  const names = await place.names(`${name}.lance/_deletions`)
  return new Set(names.map((name) => Number.parseInt(name, 10)))
}

/** Returns the ids of the rows in these files. The upper half of a row's number is its file's number. */
async function idsByFile(table: Table, files: ReadonlySet<number>): Promise<Map<number, string[]>> {
  const found = new Map<number, string[]>()
  if (files.size === 0) return found
  for await (const batch of table.query().withRowId().select(["id"])) {
    const ids = batch.getChild("id")
    const rows = batch.getChild("_rowid")
    for (let row = 0; row < batch.numRows; row++) {
      const file = Number((rows?.get(row) as bigint) >> 32n)
      if (!files.has(file)) continue
      const known = found.get(file)
      if (known) known.push(String(ids?.get(row)))
      else found.set(file, [String(ids?.get(row))])
    }
  }
  return found
}
