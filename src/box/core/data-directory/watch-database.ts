import { watchDatabaseFiles, type DatabaseFiles } from "./database-files.ts"
import { getStat } from "./get-stat.ts"

/** How the files of an open database were lost: they were removed or replaced, or another program wrote to them. */
export type DatabaseLoss = "removed" | "overwritten"

/** Checks whether an open database still has the files that it was opened with, and whether only SQLite writes to them. */
export function watchDatabase(path: string, isShared: boolean) {
  const files = ["", "-wal", "-shm"].flatMap((end) => {
    const first = getStat(path + end)
    return first === "unknown" ? [] : [{ path: path + end, first }]
  })
  // SQLite keeps the files open, so no other file gets their inode numbers. A file system without shared memory has no log.
  const isSame = ({ path: file, first }: (typeof files)[number]) => {
    if (first === undefined) return true
    const current = getStat(file)
    return current === "unknown" || (current?.ino === first.ino && current.dev === first.dev)
  }
  const areThere = files.every(({ first }) => first !== undefined)
  const contents = isShared && areThere ? watchDatabaseFiles(path) : undefined

  return {
    /** Returns the file that was lost, and how. */
    findLoss(): { file: string; how: DatabaseLoss } | undefined {
      const gone = files.find((file) => !isSame(file))
      if (gone) return { file: gone.path, how: "removed" }
      const overwritten = getOverwritten(contents)
      return overwritten === undefined ? undefined : { file: overwritten, how: "overwritten" }
    },
    /** Call it only after the database is closed. */
    [Symbol.dispose]: () => contents?.[Symbol.dispose](),
  }
}

/** Returns undefined if the files can't be checked. */
function getOverwritten(files: DatabaseFiles | undefined): string | undefined {
  try {
    return files?.overwritten()
  } catch {
    return undefined
  }
}
