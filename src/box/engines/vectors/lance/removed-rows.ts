import type { Table } from "@lancedb/lancedb"
import { idList } from "./filters.ts"
import type { TablesPlace } from "./tables-place.ts"

/** LanceDB rewrites a file once a tenth of its rows is deleted; so many of the others are moved to get there. */
const movedShare = 0.12
const idsPerUpdate = 2_000

/** Sees to it that the next compaction rewrites every file of the table that still holds deleted rows. */
export async function markForRewriting(table: Table, place: Pick<TablesPlace, "names">): Promise<void> {
  for (const ids of (await idsByFile(table, await filesWithDeletions(table.name, place))).values()) {
    const moved = ids.slice(0, Math.ceil(ids.length * movedShare))
    for (let from = 0; from < moved.length; from += idsPerUpdate) {
      const some = idList(moved.slice(from, from + idsPerUpdate))
      await table.update({ where: `id IN (${some})`, valuesSql: { language: "language" } })
    }
  }
}

/** Numbers of the table's files of rows ("fragments") that hold deleted ones: the names of the lists of these tell. */
async function filesWithDeletions(name: string, place: Pick<TablesPlace, "names">): Promise<Set<number>> {
  const names = await place.names(`${name}.lance/_deletions`)
  return new Set(names.map((name) => Number.parseInt(name, 10)))
}

/** The ids of the rows in these files; the upper half of a row's number is its file's. */
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
