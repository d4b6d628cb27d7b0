import { watchDatabaseFiles, type DatabaseFiles } from "./database-files.ts"
import { statOf } from "./stat-of.ts"

/** How the files of an open database were lost: they have no names any more, or another program wrote into them. */
export type DatabaseLoss = "removed" | "overwritten"

/** Looks whether an open database still has the files that it was opened with, and whether only SQLite writes into them. */
export function watchDatabase(path: string, isShared: boolean) {
  const files = ["", "-wal", "-shm"].flatMap((end) => {
    const first = statOf(path + end)
    return first === "unknown" ? [] : [{ path: path + end, first }]
  })
  // SQLite holds them, so that no other file gets their numbers; a file system without shared memory has no log.
  const isSame = ({ path: file, first }: (typeof files)[number]) => {
    if (first === undefined) return true
    const there = statOf(file)
    return there === "unknown" || (there?.ino === first.ino && there.dev === first.dev)
  }
  const areThere = files.every(({ first }) => first !== undefined)
  const contents = isShared && areThere ? watchDatabaseFiles(path) : undefined

  return {
    /** The file that isn't what it was, and how. */
    findLoss(): { file: string; how: DatabaseLoss } | undefined {
      const gone = files.find((file) => !isSame(file))
      if (gone) return { file: gone.path, how: "removed" }
      const overwritten = overwrittenOf(contents)
      return overwritten === undefined ? undefined : { file: overwritten, how: "overwritten" }
    },
    /** Only once the database is closed. */
    [Symbol.dispose]: () => contents?.[Symbol.dispose](),
  }
}

/** Nothing where the system doesn't say. */
function overwrittenOf(files: DatabaseFiles | undefined): string | undefined {
  try {
    return files?.overwritten()
  } catch {
    return undefined
  }
}
