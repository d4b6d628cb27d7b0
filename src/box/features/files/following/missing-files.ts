import { lstat } from "node:fs/promises"
import { join } from "node:path"

/** Known facts about a folder whose files aren't where they were. */
export interface Circumstances {
  /**
   * `doubtful`: the box's own directory, in which no one should delete files, one that is on a different device, or one that wasn't watched
   * until now. `missed`: files were missing at the previous scan.
   */
  state: "trusted" | "doubtful" | "missed"
  /** Number of files that were treated as deleted recently: a program may remove them one by one. */
  removedLately: number
}

const maxDeletedTogether = 20

/**
 * Returns whether so many absent files, of the folder's total, are more than a person deletes at once: a drive was removed and left a
 * directory in its place, or a program emptied it. When files are already missing, nearly all must return.
 */
export function areTooManyAbsent(
  absent: number,
  total: number,
  { state, removedLately }: Circumstances,
): boolean {
  if (state === "missed") return absent > total / 10
  if (absent + removedLately <= (total + removedLately) / 2) return false
  if (state === "doubtful" || absent + removedLately > maxDeletedTogether) return absent > 0
  return absent === total && total > 1
}

/** Returns how many of these relative paths don't exist. Files in directories that may not be read are treated as existing. */
export async function countAbsent(root: string, paths: readonly string[]): Promise<number> {
  let absent = 0
  for (const path of paths) {
    absent += await lstat(join(root, path)).then(
      () => 0,
      ({ code }: NodeJS.ErrnoException) => (code === "EACCES" || code === "EPERM" ? 0 : 1),
    )
  }
  return absent
}
