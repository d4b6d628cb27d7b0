import type { FileEntry } from "../../../../shared/contract/files.ts"

/** The files selected in the list, by id, in the order of selection. */
export type Picked = ReadonlyMap<string, FileEntry>

/** Files are deleted one by one, and more would take too long. */
export const maxPicked = 1_000

/** Selects or deselects files, up to `maxPicked`. */
export function pick(picked: Picked, files: readonly FileEntry[], isPicked: boolean): Picked {
  const next = new Map(picked)
  for (const file of files)
    if (!isPicked) next.delete(file.id)
    else if (next.size < maxPicked) next.set(file.id, file)
  return next
}

/** The selected files that aren't being deleted, with their current list entries. */
export function stillPicked(
  picked: Picked,
  listed: readonly FileEntry[],
  leaving: ReadonlySet<string>,
): FileEntry[] {
  const newest = new Map(listed.map((file) => [file.id, file]))
  return [...picked.values()].filter(({ id }) => !leaving.has(id)).map((file) => newest.get(file.id) ?? file)
}

/** The rows from one to another, in either direction. */
export const rowsBetween = (one: number, other: number): { first: number; last: number } => ({
  first: Math.min(one, other),
  last: Math.max(one, other),
})
