import { lstat } from "node:fs/promises"
import { join } from "node:path"

/** What is known of a folder whose files aren't where they were. */
export interface Circumstances {
  /**
   * `doubtful`: the box's own directory, in which nobody should delete, one that lies on another device than before, or
   * one that nobody watched until now.
   * `missed`: files were missed when it was last looked at.
   */
  state: "trusted" | "doubtful" | "missed"
  /** Files that were taken for deleted a short while ago: a program may take away one by one. */
  removedLately: number
}

const mostDeletedAtOnce = 20

/**
 * Whether so many absent files, of all that a folder has, are more than a person deletes at once: a drive was taken away
 * and left a directory in its place, or a program emptied it. Once files are missed, nearly all must come back.
 */
export function areMissed(absent: number, total: number, { state, removedLately }: Circumstances): boolean {
  if (state === "missed") return absent > total / 10
  if (absent + removedLately <= (total + removedLately) / 2) return false
  if (state === "doubtful" || absent + removedLately > mostDeletedAtOnce) return absent > 0
  return absent === total && total > 1
}

/** How many of these relative paths have nothing at them. */
export async function countAbsent(root: string, paths: readonly string[]): Promise<number> {
  let absent = 0
  for (const path of paths) {
    absent += await lstat(join(root, path)).then(
      () => 0,
      () => 1,
    )
  }
  return absent
}
