import { createHash } from "node:crypto"
import { open, utimes } from "node:fs/promises"
import { basename, join } from "node:path"
import { managedFoldersPath, trashPath } from "../../../core/data-layout.ts"
import { DatabaseUnusable, type DbOf } from "../../../core/database/database.ts"
import { linkOrCopy } from "../../../core/files/durable-file.ts"
import { hashFile } from "../../../core/files/hash-file.ts"
import { makeDirectoryInside, openInside } from "../../../core/files/path-jail.ts"
import { createTrash } from "../../../core/files/trash.ts"
import { timestamp } from "../../../core/ids.ts"
import { keyOf, type ObjectCache } from "../../../core/objects/object-cache.ts"
import type { ObjectStore } from "../../../core/objects/object-store.ts"
import { describeInside } from "../disk/find-stored.ts"
import { numberedNames } from "../disk/numbered-names.ts"
import { contentFields, namesOf, pathOf, placeFields, uploadPriority, type FileRow } from "../file-entry.ts"
import type { FolderPlace, FolderPlaces } from "../folder-places.ts"
import { createFileStore } from "../store.ts"

export interface MoveFilesDeps {
  db: DbOf<"files">
  folders: Pick<FolderPlaces, "all">
  dataDir: string
  signal: AbortSignal
}

export interface MovedFiles {
  files: number
  bytes: number
}

const rowsAtOnce = 200
const mostNamed = 5

/**
 * Stores the files of the box's own folders, and what is in the trash, as objects; each one's bytes are read back and compared before
 * its row tells of it. What was moved before isn't again. The directories stay as they are.
 * @throws DatabaseUnusable, once all others are moved, where directories lack files
 */
export async function moveToObjects(
  store: Pick<ObjectStore, "put" | "get">,
  { db, folders, dataDir, signal }: MoveFilesDeps,
): Promise<MovedFiles> {
  const moved: MovedFiles = { files: 0, bytes: 0 }
  const lost: string[] = []
  const files = createFileStore(db)

  async function put(root: string, names: readonly string[]) {
    await using file = await openInside(root, names)
    const { size, mtimeMs } = await file.stat()
    const hash = await hashFile(file, signal)
    const key = keyOf(hash)
    await db.insertInto("unusedObjects").values({ object: key, noticedAt: timestamp(), isNew: 1 }).execute()
    await store.put(key, join(root, ...names), signal)
    if ((await hashOf(store, key)) !== hash)
      throw new DatabaseUnusable(`${names.join("/")} came back from the object store as other bytes.`)
    moved.files++
    moved.bytes += size
    return { object: key, size, modifiedMs: mtimeMs, identity: key, changedMs: null }
  }

  for (const folder of (await folders.all()).filter(({ managed }) => managed))
    for await (const row of filesIn(db, folder.id, "is")) {
      signal.throwIfAborted()
      const to = await put(folder.path, namesOf(row)).catch((error: unknown) => ifGone(error))
      if (to === null) lost.push(pathOf(row))
      else {
        // Somebody may have changed it since the box ran.
        const newContent = row.size !== to.size || row.modifiedMs !== to.modifiedMs
        await files.change([{ from: row, to, newContent }], uploadPriority)
      }
    }
  const trash = createTrash(trashPath(dataDir))
  for (const { id } of await trashedIds(db, "is")) {
    signal.throwIfAborted()
    using kept = await trash.find(id)
    if (!kept) continue // the next start forgets it
    const { object, modifiedMs } = await put(join(kept.path, ".."), [basename(kept.path)])
    await db.updateTable("trashedFiles").set({ object, modifiedMs }).where("id", "=", id).execute()
  }
  if (lost.length === 0) return moved
  throw new DatabaseUnusable(
    `${lost.length} files aren't in their directories: ${lost.slice(0, mostNamed).join(", ")}. Start the box once without --files, which takes them for deleted, then move again.`,
  )
}

/**
 * Brings all objects back into directories: each one's bytes are compared with what its key says. The store keeps what it has. What was
 * brought before isn't again.
 */
export async function moveToDirectories(
  cache: Pick<ObjectCache, "hold">,
  { db, folders, dataDir, signal }: MoveFilesDeps,
): Promise<MovedFiles> {
  const moved: MovedFiles = { files: 0, bytes: 0 }

  /** Gives the bytes the first of the names that is free. */
  async function bring(key: string, directory: string, names: Iterable<string>, modifiedMs: number) {
    using held = await cache.hold(key)
    for (const name of names) {
      const path = join(directory, name)
      try {
        await linkOrCopy(held.path, path)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
        if (!(await isSame(path, key))) continue // else a move that was cut off has brought it
      }
      await utimes(path, new Date(), new Date(modifiedMs))
      moved.files++
      return name
    }
    throw new DatabaseUnusable(`There are too many files of one name in ${directory}.`)
  }

  async function bringFile(folder: FolderPlace, row: FileRow & { object: string }): Promise<void> {
    const directories = [basename(managedFoldersPath(dataDir)), folder.id, ...namesOf(row).slice(0, -1)]
    const directory = await makeDirectoryInside(dataDir, directories)
    const name = await bring(row.object, directory, numberedNames(row.name), row.modifiedMs)
    const found = await describeInside(folder.path, pathOf({ subFolder: row.subFolder, name }))
    moved.bytes += found.size
    const to = { ...placeFields(found), ...contentFields(found), object: null }
    await createFileStore(db).change([{ from: row, to, newContent: false }])
  }

  for (const folder of (await folders.all()).filter(({ managed }) => managed)) {
    await makeDirectoryInside(dataDir, [basename(managedFoldersPath(dataDir)), folder.id])
    for await (const row of filesIn(db, folder.id, "is not")) {
      signal.throwIfAborted()
      if (row.object !== null) await bringFile(folder, { ...row, object: row.object })
    }
  }
  for (const { id, object, name, modifiedMs, deletedAt } of await trashedIds(db, "is not")) {
    signal.throwIfAborted()
    const place = [basename(trashPath(dataDir)), deletedAt.slice(0, 10), id]
    if (object !== null)
      await bring(object, await makeDirectoryInside(dataDir, place), [name], modifiedMs ?? 0)
    await db
      .updateTable("trashedFiles")
      .set({ object: null, modifiedMs: null })
      .where("id", "=", id)
      .execute()
  }
  // Files that were deleted a moment ago: their bytes are in the trash.
  await db.updateTable("files").set({ object: null }).where("object", "is not", null).execute()
  await db.deleteFrom("unusedObjects").execute()
  return moved
}

/** Files of a folder with an object or without, whichever are left as they are changed. */
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
    .select(["id", "object", "name", "modifiedMs", "deletedAt"])
    .where("object", hasObject, null)
    .execute()

/** SHA-256 in base64 of what the store has; null where it has nothing. */
async function hashOf(store: Pick<ObjectStore, "get">, key: string): Promise<string | null> {
  const source = await store.get(key)
  if (source === null) return null
  const hash = createHash("sha256")
  for await (const piece of source) hash.update(piece as Buffer)
  return hash.digest("base64")
}

async function isSame(path: string, key: string): Promise<boolean> {
  await using file = await open(path)
  return key.endsWith(Buffer.from(await hashFile(file), "base64").toString("hex"))
}

function ifGone(error: unknown): null {
  if ((error as { code?: unknown }).code === "not_found") return null
  throw error
}
