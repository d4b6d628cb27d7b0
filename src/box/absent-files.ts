import { lstat } from "node:fs/promises"
import { join } from "node:path"
import SqliteDatabase from "better-sqlite3"
import { managedFoldersPath } from "./core/data-layout.ts"
import type { AbsentFiles } from "./features/storage/unpack-backup.ts"

const rowsAtOnce = 500

/** Looks for the uploaded files listed in a database, and returns the folders with missing files. */
export async function absentFiles(database: string, directory: string): Promise<AbsentFiles[]> {
  const sqlite = new SqliteDatabase(database, { readonly: true })
  try {
    const folders = sqlite.prepare("SELECT id, name FROM folders WHERE managed = 1").all()
    const found: AbsentFiles[] = []
    for (const { id, name } of folders as { id: string; name: string }[]) {
      const folder: AbsentFiles = { folder: name, absent: [], present: 0 }
      for (const paths of listFiles(sqlite, id)) {
        const areThere = await Promise.all(
          paths.map((path) => isFile(join(managedFoldersPath(directory), id, path))),
        )
        for (const [index, path] of paths.entries())
          if (areThere[index]) folder.present++
          else folder.absent.push(join("folders", id, path))
      }
      if (folder.absent.length > 0) found.push(folder)
    }
    return found
  } finally {
    sqlite.close()
  }
}

function* listFiles(sqlite: SqliteDatabase.Database, folderId: string): Generator<string[]> {
  const next = sqlite.prepare(
    "SELECT id, subFolder, name FROM files WHERE folderId = ? AND object IS NULL AND id > ? ORDER BY id LIMIT ?",
  )
  let last = ""
  for (;;) {
    const rows = next.all(folderId, last, rowsAtOnce) as { id: string; subFolder: string; name: string }[]
    yield rows.map(({ subFolder, name }) => join(subFolder, name))
    const end = rows.at(-1)
    if (rows.length < rowsAtOnce || !end) return
    last = end.id
  }
}

const isFile = (path: string): Promise<boolean> =>
  lstat(path).then(
    (found) => found.isFile(),
    () => false,
  )
