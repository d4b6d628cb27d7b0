import { utimes } from "node:fs/promises"
import { basename, dirname } from "node:path"
import { managedFoldersPath, trashPath } from "../../core/data-layout.ts"
import { DatabaseUnusable, type DbOf } from "../../core/database/database.ts"
import { linkOrCopy } from "../../core/files/durable-file.ts"
import { joinInside, makeDirectoryInside } from "../../core/files/path-jail.ts"
import { createTrash } from "../../core/files/trash.ts"
import type { StoredObject, PutCompared } from "../../core/objects/object-files.ts"
import { hasContentOfKey, type ObjectCache } from "../../core/objects/object-cache.ts"
import { forgetObjects } from "../../core/objects/object-rows.ts"
import { describeInside, numberedNames } from "./disk/find-stored.ts"
import {
  contentFields,
  describeObject,
  getNames,
  getPath,
  locationFields,
  uploadPriority,
  type FileRow,
} from "./file-entry.ts"
import type { StoredFolder, StoredFolders } from "./folder-places.ts"
import { createFileStore } from "./store.ts"

export interface MoveFilesDeps {
  db: DbOf<"files">
  folders: Pick<StoredFolders, "all">
  dataDir: string
}

export interface MovedFiles {
  files: number
  bytes: number
}

const rowsAtOnce = 200
const maxNamed = 5
/** Times are stored in two formats that differ in the last digits. */
const samePreciselyMs = 1

/**
 * Copies the files of the box's own folders, and the trash, to object storage. Each object is stored before its row refers to it. Files
 * moved earlier are skipped, and the directories stay unchanged.
 * @throws DatabaseUnusable, after all others are moved, if files are missing from their directories
 */
export async function moveToObjects(
  put: PutCompared,
  { db, folders, dataDir }: MoveFilesDeps,
): Promise<MovedFiles> {
  const moved: MovedFiles = { files: 0, bytes: 0 }
  const lost: string[] = []
  const files = createFileStore(db)
  const count = ({ size }: StoredObject) => {
    moved.files++
    moved.bytes += size
  }

  const own = (await folders.all()).filter(({ managed }) => managed)
  for (const folder of own)
    for await (const row of filesIn(db, folder.id, "is")) {
      const stored = await put(folder.path, getNames(row)).catch((error: unknown) => nullIfMissing(error))
      if (stored === null) {
        lost.push(getPath(row))
        continue
      }
      // The file may have changed since the box last ran.
      const newContent =
        row.size !== stored.size || Math.abs(row.modifiedMs - stored.modifiedMs) >= samePreciselyMs
      const to = { ...contentFields(describeObject(getPath(row), stored)), object: stored.key }
      await files.change([{ from: row, to, newContent }], uploadPriority)
      count(stored)
    }
  const trash = createTrash(trashPath(dataDir))
  for (const { id, folderId } of await trashedIds(db, "is")) {
    if (!own.some((folder) => folder.id === folderId)) continue // it will be restored to a user's directory, or nowhere
    using kept = await trash.find(id)
    if (!kept) continue // the next start removes its row
    const stored = await put(dirname(kept.path), [basename(kept.path)])
    const to = { object: stored.key, size: stored.size, modifiedMs: stored.modifiedMs }
    await db.updateTable("trashedFiles").set(to).where("id", "=", id).execute()
    count(stored)
  }
  if (lost.length === 0) return moved
  throw new DatabaseUnusable(
    `${lost.length} files aren't in their directories: ${lost.slice(0, maxNamed).join(", ")}. Start the server once without --files, which treats them as deleted, then move again.`,
  )
}

/**
 * Copies all objects back into directories and compares each one's bytes with its key. The object store keeps its content. Files moved
 * earlier are skipped.
 */
export async function moveToDirectories(
  cache: Pick<ObjectCache, "hold">,
  { db, folders, dataDir }: MoveFilesDeps,
  signal: AbortSignal,
): Promise<MovedFiles> {
  const moved: MovedFiles = { files: 0, bytes: 0 }

  /** Stores the bytes under the first free name. */
  async function bring({ key, size, modifiedMs }: StoredObject, directory: string, names: Iterable<string>) {
    using held = await cache.hold(key, size)
    for (const name of names) {
      const path = joinInside(directory, name)
      try {
        await linkOrCopy(held.path, path)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
        if (!(await hasContentOfKey(path, key))) continue // otherwise an interrupted move has already stored it
      }
      await utimes(path, Date.now() / 1000, modifiedMs / 1000) // a Date would lose fractions of a millisecond
      moved.files++
      return name
    }
    throw new DatabaseUnusable(`There are too many files of one name in ${directory}.`)
  }

  async function bringFile(folder: StoredFolder, row: FileRow & { object: string }): Promise<void> {
    const directories = [basename(managedFoldersPath(dataDir)), folder.id, ...getNames(row).slice(0, -1)]
    const directory = await makeDirectoryInside(dataDir, directories)
    const name = await bring({ ...row, key: row.object }, directory, numberedNames(row.name))
    const found = await describeInside(folder.path, getPath({ subFolder: row.subFolder, name }))
    moved.bytes += found.size
    const to = { ...locationFields(found), ...contentFields(found), object: null }
    await createFileStore(db).change([{ from: row, to, newContent: false }])
  }

  for (const folder of (await folders.all()).filter(({ managed }) => managed)) {
    await makeDirectoryInside(dataDir, [basename(managedFoldersPath(dataDir)), folder.id])
    for await (const row of filesIn(db, folder.id, "is not")) {
      signal.throwIfAborted()
      if (row.object !== null) await bringFile(folder, { ...row, object: row.object })
    }
  }
  for (const { id, object, name, size, modifiedMs, deletedAt } of await trashedIds(db, "is not")) {
    signal.throwIfAborted()
    const segments = [basename(trashPath(dataDir)), deletedAt.slice(0, 10), id]
    if (object !== null) {
      const stored = { key: object, size, modifiedMs: modifiedMs ?? 0 }
      await bring(stored, await makeDirectoryInside(dataDir, segments), [name])
    }
    await db
      .updateTable("trashedFiles")
      .set({ object: null, modifiedMs: null })
      .where("id", "=", id)
      .execute()
  }
  // Recently deleted files: their bytes are in the trash.
  await db.updateTable("files").set({ object: null }).where("object", "is not", null).execute()
  await forgetObjects(db)
  return moved
}

/** Yields the files of a folder with or without an object. Callers may change rows during the iteration; no file is skipped. */
async function* filesIn(
  db: DbOf<"files">,
  folderId: string,
  hasObject: "is" | "is not",
): AsyncGenerator<FileRow> {
  for (let after = ""; ;) {
    const rows = await db
      .selectFrom("files")
      .selectAll()
      .where("folderId", "=", folderId)
      .where("object", hasObject, null)
      .where("id", ">", after)
      .orderBy("id")
      .limit(rowsAtOnce)
      .execute()
    yield* rows
    const last = rows.at(-1)
    if (!last) return
    after = last.id
  }
}

const trashedIds = (db: DbOf<"files">, hasObject: "is" | "is not") =>
  db
    .selectFrom("trashedFiles")
    .select(["id", "folderId", "object", "name", "size", "modifiedMs", "deletedAt"])
    .where("object", hasObject, null)
    .execute()

function nullIfMissing(error: unknown): null {
  if ((error as { code?: unknown }).code === "not_found") return null
  throw error
}

/** Returns whether any of these folders, which belong to the box, has a file in its directory. */
export async function areInDirectories(db: DbOf<"files">, ownFolderIds: readonly string[]): Promise<boolean> {
  for (const folderId of ownFolderIds) {
    const files = db.selectFrom("files").select("id").where("folderId", "=", folderId)
    if (await files.where("object", "is", null).limit(1).executeTakeFirst()) return true
  }
  return false
}
