import { useCallback, useRef } from "react"
import type { FileEntry } from "../../../../shared/contract/files.ts"
import { loadFilesOfRows, type FileFilter } from "../../../data/folders/files.ts"
import { describeError } from "../../../lib/box.ts"
import { showToast } from "../../../lib/toasts.ts"

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

export type OnPicked = (change: (before: Picked) => Picked) => void

/**
 * Selects files by their rows. The files of a range may have to be loaded first. `pickFile` stays the same function, because rows rely on
 * it.
 */
export function usePicking(folderId: string, { search, status, sort }: FileFilter, onPicked: OnPicked) {
  const lastRow = useRef<number>(undefined)

  const pickRows = useCallback(
    (first: number, last: number, isPicked: (before: Picked) => boolean) =>
      void loadFilesOfRows(
        folderId,
        { search, status, sort },
        first,
        Math.min(last, first + maxPicked - 1),
      ).then(
        (files) => onPicked((before) => pick(before, files, isPicked(before))),
        (error: unknown) => showToast(describeError(error), "error"),
      ),
    [folderId, search, status, sort, onPicked],
  )

  const pickFile = useCallback(
    (file: FileEntry, row: number, isRange: boolean) => {
      const willBe = (before: Picked) => !before.has(file.id)
      const { first, last } = rowsBetween(isRange ? (lastRow.current ?? row) : row, row)
      if (first === last) onPicked((before) => pick(before, [file], willBe(before)))
      else pickRows(first, last, willBe)
      lastRow.current = row
    },
    [pickRows, onPicked],
  )

  return {
    pickFile,
    pickAll: (isPicked: boolean, total: number) =>
      isPicked ? pickRows(0, total - 1, () => true) : onPicked(() => new Map()),
  }
}
