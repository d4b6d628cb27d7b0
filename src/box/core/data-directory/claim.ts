import { existsSync, lstatSync, readdirSync, realpathSync, statSync } from "node:fs"
import { join } from "node:path"
import {
  databaseFile,
  persistentDirectories,
  managedFoldersPath,
  rescuedPath,
  unfinishedSalvage,
} from "../data-layout.ts"
import { DatabaseUnusable } from "../database/database.ts"
import { partialPrefix } from "../files/durable-file.ts"
import { makeMarker, markerFile, newMarker, readMarker, writeMarker } from "./marker.ts"
import { foreignNames } from "./own-names.ts"
import { hasOwnDatabase, requireDatabase, describeRestore } from "./own-database.ts"
import { ensurePrivateDirectory } from "./private-directory.ts"
import { TerminalError } from "../terminal-error.ts"

export const lockFile = "box.lock"

/** Entries that file systems and file managers put into an empty directory. A marker that another start is writing may also be there. */
const nothing = new Set(["lost+found", ".DS_Store"])
/** Maximum path length. SQLite accepts paths of 512 bytes; the longest path in a data directory, in an unpacked backup, needs about 80. */
const maxPathLength = 400
/** Characters that the log and index libraries don't accept in a path, which may start with a drive. */
const unusable = /(?<!^[a-z]):|[?"*<>|\p{Cc}]/iu

/** System error codes for paths that lead nowhere. */
const unreachable = new Set(["ENOENT", "ENOTDIR", "EEXIST", "ELOOP", "ENAMETOOLONG"])

export interface ClaimOptions {
  /** Whether the caller brings its own database. */
  restoring?: boolean
}

/**
 * Makes sure that the directory belongs to the box before anything in it is changed. It creates the directory, or claims an empty one or an
 * earlier Casella's that holds nothing else, and marks it. All work on a data directory starts with this call.
 *
 * @throws AppError `conflict` for a directory with other contents, `validation` for a path that can't be used;
 * DatabaseUnusable if its database is missing. In these cases nothing was changed.
 */
export function claimDataDirectory(directory: string, options: ClaimOptions = {}): void {
  try {
    claim(directory, options)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (!unreachable.has(code ?? "")) throw error
    throw new TerminalError(
      "validation",
      `The data directory isn't a directory that can be reached or made (${message}). Choose another with --data.`,
    )
  }
}

const isNothing = (name: string) => nothing.has(name) || name.startsWith(partialPrefix)

/** Whether the directory doesn't exist, or holds only ignored files. */
export function isUnused(directory: string): boolean {
  try {
    return readdirSync(directory).every(isNothing)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT"
  }
}

function claim(directory: string, { restoring = false }: ClaimOptions): void {
  requireUsablePath(directory)
  let adopted: boolean | undefined
  ensurePrivateDirectory(directory, (names) => {
    requireUsablePath(realpathSync(directory))
    const marker = readMarker(directory)
    if (marker !== null && marker !== "damaged") {
      if (marker.hasDatabase && !restoring) requireDatabase(directory)
      return
    }
    if (names.every(isNothing)) adopted = false
    else if (hasOwnDatabase(directory) || hasOwnDatabase(rescuedPath(directory))) {
      if (marker === null) requireOwnNames(directory, names)
      adopted = true
    } else throw marker === null ? foreign(directory) : undecided(directory)
  })
  requireKinds(directory)
  requireOwn(directory)
  if (adopted === undefined) return
  const put = readMarker(directory) === "damaged" ? writeMarker : makeMarker
  put(directory, newMarker(directory, adopted))
}

/**
 * A copy of the database can be anywhere, and entries next to it with the names of the box's own directories may belong to someone else.
 * @throws AppError `conflict`
 */
function requireOwnNames(directory: string, names: readonly string[]): void {
  const [first] = foreignNames(names)
  if (first === undefined) return
  throw new TerminalError(
    "conflict",
    `${directory} holds other things beside Casella's database, such as ${JSON.stringify(first)}. If ${databaseFile} is only a copy, move it into an empty directory and name that with --data. If this is Casella's data directory, move everything that isn't Casella's elsewhere.`,
  )
}

function requireKinds(directory: string): void {
  const refuse = (name: string, kind: string) => {
    const path = join(directory, name)
    throw new DatabaseUnusable(`${path} should be a ${kind}, but isn't. Move it away, then start again.`)
  }
  const getKind = (name: string) => statSync(join(directory, name), { throwIfNoEntry: false })
  for (const name of persistentDirectories)
    if (getKind(name)?.isDirectory() === false) refuse(name, "directory")
  for (const name of [databaseFile, markerFile, lockFile])
    if (getKind(name)?.isFile() === false) refuse(name, "file")
}

/**
 * A copy of the directory would share link targets with the original: deleting them in one would delete them in the other.
 * @throws DatabaseUnusable for a database with a second hard link, and for directories that are symbolic links
 */
function requireOwn(directory: string): void {
  const database = join(directory, databaseFile)
  if ((statSync(database, { throwIfNoEntry: false })?.nlink ?? 1) > 1)
    throw new DatabaseUnusable(
      `${database} is also the database of another directory: one was copied from the other as hard links. Make a copy of its own, such as with cp -a, and start on that; or delete the other one.`,
    )
  const folders = managedFoldersPath(directory)
  const inside = existsSync(folders) ? readdirSync(folders).map((name) => join(folders, name)) : []
  for (const path of [...persistentDirectories.map((name) => join(directory, name)), ...inside])
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
      throw new DatabaseUnusable(
        `${path} is a symbolic link, and a copy of the data directory would share what it leads to. Move that here in its place. To have the data on another disk, move all of it there and name it with --data.`,
      )
}

function foreign(directory: string): Error {
  if (existsSync(join(directory, unfinishedSalvage)))
    return new DatabaseUnusable(
      `The salvage into ${directory} wasn't finished. Delete that directory, then salvage again.`,
    )
  const database = join(directory, databaseFile)
  if (existsSync(database))
    return new DatabaseUnusable(
      `${database} is empty or isn't a database of Casella's. If it was one: ${describeRestore(directory)} Or choose an empty directory with --data.`,
    )
  return new TerminalError(
    "conflict",
    `${directory} holds other things than Casella's data. Choose an empty directory, or one that isn't there yet, with --data.`,
  )
}

const undecided = (directory: string) =>
  new DatabaseUnusable(
    `${join(directory, markerFile)} is damaged, and no database that can be read is beside it. If this was Casella's data: ${describeRestore(directory)} Or choose an empty directory with --data.`,
  )

function requireUsablePath(directory: string): void {
  const bytes = Buffer.byteLength(directory)
  if (bytes > maxPathLength)
    throw new TerminalError(
      "validation",
      `The path of the data directory has ${bytes} bytes; it may have ${maxPathLength}. Choose a shorter one with --data.`,
    )
  const [character] = unusable.exec(directory) ?? []
  if (character !== undefined)
    throw new TerminalError(
      "validation",
      `The path of the data directory may not have ${JSON.stringify(character)} in it: ${JSON.stringify(directory)}. Choose another with --data.`,
    )
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new TerminalError("validation", `The data directory isn't a directory: ${directory}`)
}
