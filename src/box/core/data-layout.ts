import { isAbsolute, join, relative, sep } from "node:path"

export const databaseFile = "casella.sqlite"
/** Database that `salvage` writes until it is complete. */
export const unfinishedSalvage = "salvaging.sqlite"
/** Directories whose contents can't be recreated. A backup consists of these and the database. */
export const backedUpDirectories = ["folders", "trash", "chat-files"]
/** Copies of the database before each migration. */
export const snapshotsPath = (dataDir: string) => join(dataDir, "snapshots")
/** The database at the time when its file was removed from the running box, until the next start puts it back. */
export const rescuedPath = (dataDir: string) => join(dataDir, "restore-rescued")
/** File in that directory that marks a database overwritten by another program: it may be incomplete or missing. */
export const overwrittenNote = "overwritten"
/** Exists until the owner is notified that some of the latest changes may be missing. */
export const missingChangesPath = (dataDir: string) => join(dataDir, "changes-missing")
/** Backups made in the settings, until they are downloaded and deleted. */
export const backupsPath = (dataDir: string) => join(dataDir, "backups")
/** Directories for uploaded files, one per folder that the box created, named by the folder's ID. */
export const managedFoldersPath = (dataDir: string) => join(dataDir, "folders")
/** Files that API calls deleted or replaced, for 30 days. */
export const trashPath = (dataDir: string) => join(dataDir, "trash")
/** Uploads in progress; emptied at start. */
export const uploadsPath = (dataDir: string) => join(dataDir, "uploads")
/** Temporary files of the box, its libraries and its child processes; emptied at start. */
export const temporaryPath = (dataDir: string) => join(dataDir, "tmp")
/** Reserved disk space that is released when the disk is full. */
export const reservePath = (dataDir: string) => join(dataDir, "reserve")
/** Language files for OCR; users can add more. */
export const ocrLanguagesPath = (dataDir: string) => join(dataDir, "ocr-languages")
/** The box's log, at most five files. */
export const logsPath = (dataDir: string) => join(dataDir, "logs")
/** The search index; rebuilt from the database when it is missing or damaged. */
export const indexPath = (dataDir: string) => join(dataDir, "index")
/** Copies of objects; fetched again from their store when they are missing. */
export const objectCachePath = (dataDir: string) => join(dataDir, "object-cache")
/** Tables from spreadsheets; created again when they are missing. */
export const tablesPath = (dataDir: string) => join(dataDir, "tables")
/** Files that tools created, one directory per chat. */
export const chatFilesPath = (dataDir: string) => join(dataDir, "chat-files")
/** The time reached, which decides about deletions by age. */
export const ageClockPath = (dataDir: string) => join(dataDir, "clock.json")
/** Identifies the database that the last run left. */
export const knownDatabasePath = (dataDir: string) => join(dataDir, "database.json")
/** Models that the box downloaded. Backups don't include them. */
export const modelsPath = (dataDir: string) => join(dataDir, "models")
/** Images of notification senders; fetched again when they are missing. */
export const avatarsPath = (dataDir: string) => join(dataDir, "avatars")
/** Must be directories, or not exist. The index, uploads and temporary files are recreated. */
export const persistentDirectories = [
  ...backedUpDirectories,
  "snapshots",
  "backups",
  "logs",
  "models",
  "avatars",
  "ocr-languages",
]

/**
 * Returns a path as the database stores it: relative to the data directory for paths inside it, so that the directory can be moved and
 * copied; absolute for all others.
 */
export function storedPath(dataDir: string, path: string): string {
  const way = relative(dataDir, path)
  const isOutside = way === "" || isAbsolute(way) || way.split(sep)[0] === ".."
  return isOutside ? path : way.split(sep).join("/")
}
/** Returns the absolute path of a stored path. Stored paths are already resolved, and lists contain hundreds of them. */
export const actualPath = (dataDir: string, stored: string): string =>
  isAbsolute(stored) ? stored : `${dataDir}${sep}${sep === "/" ? stored : stored.replaceAll("/", sep)}`
