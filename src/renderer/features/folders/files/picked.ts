import type { FileEntry } from "../../../../shared/contract/files.ts"

/** Files that were picked in the list, by their ids and in the order of picking. */
export type Picked = ReadonlyMap<string, FileEntry>

/** As many as deleting them one by one is bearable. */
export const mostPicked = 1_000

/** Picks files, or lets them go; no more than can be picked. */
export function pick(picked: Picked, files: readonly FileEntry[], isPicked: boolean): Picked {
  const next = new Map(picked)
  for (const file of files)
    if (!isPicked) next.delete(file.id)
    else if (next.size < mostPicked) next.set(file.id, file)
  return next
}

/** What is picked and still there, as the list shows it now. */
export function stillPicked(
  picked: Picked,
  listed: readonly FileEntry[],
  leaving: ReadonlySet<string>,
): FileEntry[] {
  const newest = new Map(listed.map((file) => [file.id, file]))
  return [...picked.values()].filter(({ id }) => !leaving.has(id)).map((file) => newest.get(file.id) ?? file)
}

/** The rows from one to another, whichever comes first. */
export const rowsBetween = (one: number, other: number): { first: number; last: number } => ({
  first: Math.min(one, other),
  last: Math.max(one, other),
})
