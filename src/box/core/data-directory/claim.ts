import {
  existsSync,
  readdirSync,
  rmSync,
  statSync,
  chmodSync,
  lstatSync,
  mkdirSync,
  realpathSync,
} from "node:fs"
import { join, dirname } from "node:path"
import SqliteDatabase from "better-sqlite3"
import {
  backupsPath,
  databaseFile,
  rescuedPath,
  snapshotsPath,
  persistentDirectories,
  managedFoldersPath,
  unfinishedSalvage,
} from "../data-layout.ts"
import { DatabaseUnusable } from "../database/database.ts"
import { partialPrefix } from "../files/durable-file.ts"
import { TerminalError } from "../terminal-error.ts"
import { makeMarker, markerFile, newMarker, readMarker, writeMarker } from "./marker.ts"

/** Names that this version of Casella, or a user on its behalf, puts into a data directory. */
const present =
  /^(casella\.sqlite(-wal|-shm|-journal|[.~].*)?|casella\.json|box\.lock(-journal)?|(box|clock|database)\.json(\.new)?|(secrets|gpu|models)\.json(\.new)?|folders|trash|chat-files|uploads|tmp|index(\.broken)?|tables|models|avatars|ocr-languages|logs|snapshots|backups|reserve|changes-missing|desktop|restore-(ready|moving|rescued)|before-restore-\d+|salvaging\.sqlite.*|\.casella-partial-.*)$/
/** Names that only earlier versions used. */
const past = /^(incoming|(backup|restore)-[\w-]+)$/
/** Names that systems put into any directory, or next to a directory on a separate drive. */
const systemNames =
  /^(lost\+found|\.(cache|config|local|keep|gitkeep|snapshots?|zfs|nfs.*|stfolder.*|stversions|stignore|dropbox.*)|@eaDir|#(recycle|snapshot)|\.DS_Store|\._.*|\.(directory|fseventsd|Spotlight-V100|TemporaryItems|Trashes|Trash-\d+)|(desktop\.ini|Thumbs\.db)|\$RECYCLE\.BIN|System Volume Information)$/i

/** Returns the names that neither Casella nor a system would have used in a data directory. */
const foreignNames = (names: readonly string[]): string[] =>
  names.filter((name) => ![present, past, systemNames].some((own) => own.test(name)))

/** Tables that have been in every version of Casella's database. */
const ownTables = ["users", "workspaces", "apiKeys", "settings"]

/** Whether the directory holds a database that Casella made. Only reads: the database stays unchanged. */
function hasOwnDatabase(directory: string): boolean {
  try {
    const tables = queryUntouched(
      join(directory, databaseFile),
      "SELECT name FROM sqlite_schema WHERE type = 'table'",
    )
    return tables !== null && ownTables.every((table) => tables.includes(table))
  } catch {
    return false // not a database, or unreadable
  }
}

/** Returns the first column of a query's rows, or null if there is no database. Leaves no files next to it. Throws SQLite's errors. */
export function queryUntouched(path: string, query: string): unknown[] | null {
  if (getSize(path) === 0) return null
  const journals = [`${path}-wal`, `${path}-shm`].filter((journal) => !existsSync(journal))
  const sqlite = new SqliteDatabase(path, { readonly: true, fileMustExist: true })
  try {
    return sqlite.prepare(query).pluck().all()
  } finally {
    sqlite.close()
    for (const journal of journals) rmSync(journal, { force: true }) // SQLite creates them even for reading
  }
}

/**
 * SQLite would create an empty database in place of a missing one, and delete the content of its journal.
 * @throws DatabaseUnusable if there is none; the error names the newest available copy.
 */
function requireDatabase(directory: string): void {
  const path = join(directory, databaseFile)
  if (getSize(path) > 0 || bringsDatabase(directory)) return
  const state = existsSync(path) ? "empty" : "missing"
  throw new DatabaseUnusable(
    `Casella's database is ${state}: ${path}. ${describeRestore(directory)} To start without data, choose an empty directory with --data.`,
  )
}

const restorePaths = (directory: string): string[] => [
  ...["restore-ready", "restore-moving"].map((name) => join(directory, name)),
  rescuedPath(directory),
]
/** Whether a restore waits for the next start, or was interrupted and will be finished by it. */
export const isRestoring = (directory: string): boolean =>
  restorePaths(directory).some((path) => existsSync(path))
/** Whether such a restore brings a database. */
const bringsDatabase = (directory: string): boolean =>
  restorePaths(directory).some((path) => existsSync(join(path, databaseFile)))

const backupName = /^casella-backup-[\d-]+\.tgz$/
const snapshotName = /^schema-\d+\.sqlite$/
const replacedName = /^before-restore-\d+$/

/** Describes how the owner can recover the database. */
function describeRestore(directory: string): string {
  const found = [
    ...named(backupsPath(directory), backupName),
    ...named(snapshotsPath(directory), snapshotName),
    ...named(directory, replacedName).map((path) => join(path, databaseFile)),
  ].filter((path) => getSize(path) > 0)
  const newest = found.toSorted((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)[0]
  if (newest === undefined) return 'Restore a backup with "restore FILE".'
  if (backupName.test(newest.slice(backupsPath(directory).length + 1)))
    return `Restore the newest backup with "restore ${newest}".`
  const journals = `${databaseFile}-wal and ${databaseFile}-shm`
  return `Restore a backup with "restore FILE", or delete ${journals} and copy ${newest} to ${join(directory, databaseFile)}.`
}

function named(directory: string, pattern: RegExp): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => pattern.test(name))
      .map((name) => join(directory, name))
  } catch {
    return [] // missing, or not a directory
  }
}

function getSize(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

const othersMay = 0o077
const othersMayWrite = 0o022

/**
 * Creates the data directory, or restricts an existing one to its owner, so that no one else can read chats and documents. Windows protects
 * users' directories itself.
 *
 * @param check receives the names in the directory, and throws if the box may not use it; nothing is changed then
 * @throws AppError `conflict` for another user's directory, and for an open one whose contents may not be the box's own.
 */
function ensurePrivateDirectory(directory: string, check: (names: string[]) => void): void {
  makeDirectory(directory)
  const { uid, mode } = statSync(directory)
  const others = process.getuid === undefined ? 0 : mode & othersMay
  const inspect = () => {
    const names = readdirSync(directory)
    if (process.getuid !== undefined) requireOneOwner(directory, uid, names)
    if (names.length > 0 && (others & othersMayWrite) !== 0)
      throw new TerminalError(
        "conflict",
        `Other users can write to ${directory}, so its contents may not be yours. Choose an empty directory, or remove their access first: chmod 700 ${directory}`,
      )
    check(names)
  }
  inspect()
  if (others === 0) return
  chmodSync(directory, 0o700)
  try {
    inspect() // from now on no one else can put anything into it
  } catch (error) {
    chmodSync(directory, mode & 0o7777)
    throw error
  }
}

/** Node's own `recursive` loops forever on a file system that can't create directories, such as /proc. */
function makeDirectory(directory: string): void {
  const isThere = () => statSync(directory, { throwIfNoEntry: false })?.isDirectory() === true
  if (isThere()) return
  if (dirname(directory) !== directory) makeDirectory(dirname(directory))
  try {
    mkdirSync(directory, { mode: 0o700 })
  } catch (error) {
    if (!isThere()) throw error // another process may have created it in the meantime
  }
}

function requireOneOwner(directory: string, uid: number, names: readonly string[]): void {
  if (uid !== process.getuid?.())
    throw new TerminalError(
      "conflict",
      `${directory} belongs to another user. Choose a data directory of your own.`,
    )
  const planted = names.find((name) => {
    const found = lstatSync(join(directory, name), { throwIfNoEntry: false }) // a running box's journals appear and disappear
    return found !== undefined && found.uid !== uid
  })
  if (planted !== undefined)
    throw new TerminalError(
      "conflict",
      `${join(directory, planted)} belongs to another user. Choose an empty data directory of your own.`,
    )
}

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
      `The data directory can't be created or isn't a directory (${message}). Choose another with --data.`,
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
    `${directory} contains other files next to Casella's database, such as ${JSON.stringify(first)}. If ${databaseFile} is only a copy, move it into an empty directory and give that directory with --data. If this is Casella's data directory, move everything that isn't Casella's elsewhere.`,
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
      `${database} is also the database of another directory, because one was copied from the other as hard links. Make a real copy, for example with cp -a, and use that; or delete the other one.`,
    )
  const folders = managedFoldersPath(directory)
  const inside = existsSync(folders) ? readdirSync(folders).map((name) => join(folders, name)) : []
  for (const path of [...persistentDirectories.map((name) => join(directory, name)), ...inside])
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
      throw new DatabaseUnusable(
        `${path} is a symbolic link, so a copy of the data directory would share its target. Replace the link with the target's files. To keep the data on another disk, move all of it there and give that directory with --data.`,
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
      `${database} is empty or isn't a Casella database. If it was one: ${describeRestore(directory)} Or choose an empty directory with --data.`,
    )
  return new TerminalError(
    "conflict",
    `${directory} contains files that aren't Casella's. Choose an empty directory with --data, or one that doesn't exist yet.`,
  )
}

const undecided = (directory: string) =>
  new DatabaseUnusable(
    `${join(directory, markerFile)} is damaged, and there is no readable database next to it. If this was Casella's data: ${describeRestore(directory)} Or choose an empty directory with --data.`,
  )

function requireUsablePath(directory: string): void {
  const bytes = Buffer.byteLength(directory)
  if (bytes > maxPathLength)
    throw new TerminalError(
      "validation",
      `The path of the data directory has ${bytes} bytes; at most ${maxPathLength} are allowed. Choose a shorter one with --data.`,
    )
  const [character] = unusable.exec(directory) ?? []
  if (character !== undefined)
    throw new TerminalError(
      "validation",
      `The path of the data directory may not contain ${JSON.stringify(character)}: ${JSON.stringify(directory)}. Choose another with --data.`,
    )
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new TerminalError("validation", `The data directory isn't a directory: ${directory}`)
}
