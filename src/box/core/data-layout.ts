import { isAbsolute, join, relative, sep } from "node:path"

export const databaseFile = "casella.sqlite"
/** The database of a directory into which `salvage` writes, until everything is in it. */
export const unfinishedSalvage = "salvaging.sqlite"
/** Directories whose content can't be made again: with the database, they are what a backup holds. */
export const backedUpDirectories = ["folders", "trash", "chat-files"]
/** Copies of the database from before each migration. */
export const snapshotsPath = (dataDir: string) => join(dataDir, "snapshots")
/** The database as it was when its file was taken away from the running box, until the next start puts it back. */
export const rescuedPath = (dataDir: string) => join(dataDir, "restore-rescued")
/** Says, in there, that another program had written over the database: not all may be in it, or it isn't there at all. */
export const overwrittenNote = "overwritten"
/** There while its owner is to be told that some of what was stored last may be missing. */
export const missingChangesPath = (dataDir: string) => join(dataDir, "changes-missing")
/** Backups made in the settings, until they are downloaded and deleted. */
export const backupsPath = (dataDir: string) => join(dataDir, "backups")
/** Directories for uploaded files, one per folder the box made, named by its id. */
export const managedFoldersPath = (dataDir: string) => join(dataDir, "folders")
/** What API calls deleted or replaced, for 30 days. */
export const trashPath = (dataDir: string) => join(dataDir, "trash")
/** Uploads on their way; emptied at start. */
export const uploadsPath = (dataDir: string) => join(dataDir, "uploads")
/** Temporary files of the box, of the libraries in it and of its children; emptied at start. */
export const temporaryPath = (dataDir: string) => join(dataDir, "tmp")
/** Room that is given up when the disk is full. */
export const reservePath = (dataDir: string) => join(dataDir, "reserve")
/** Language files for OCR; people put further ones there. */
export const ocrLanguagesPath = (dataDir: string) => join(dataDir, "ocr-languages")
/** The box's log, five files at most. */
export const logsPath = (dataDir: string) => join(dataDir, "logs")
/** The search index; rebuilt from the database when it is missing or broken. */
export const indexPath = (dataDir: string) => join(dataDir, "index")
/** Copies of objects, brought again from their store when they are missing. */
export const objectCachePath = (dataDir: string) => join(dataDir, "object-cache")
/** Tables made of spreadsheets, made again when they are missing. */
export const tablesPath = (dataDir: string) => join(dataDir, "tables")
/** Files that tools made, a directory for each conversation. */
export const chatFilesPath = (dataDir: string) => join(dataDir, "chat-files")
/** How far time had come, for what is deleted by its age. */
export const ageClockPath = (dataDir: string) => join(dataDir, "clock.json")
/** Tells the database as the last run left it from any other. */
export const knownDatabasePath = (dataDir: string) => join(dataDir, "database.json")
/** Models that the box downloaded. No backup has them. */
export const modelsPath = (dataDir: string) => join(dataDir, "models")
/** Pictures of notifications' senders, fetched again when they are missing. */
export const avatarsPath = (dataDir: string) => join(dataDir, "avatars")
/** What must be a directory, or not be there; the index, uploads and temporary files are made anew. */
export const keptDirectories = [
  ...backedUpDirectories,
  "snapshots",
  "backups",
  "logs",
  "models",
  "avatars",
  "ocr-languages",
]

/**
 * A path as the database keeps it: relative to the data directory for what lies in it, so that the directory may be moved
 * and copied; absolute for anything else.
 */
export function storedPath(dataDir: string, path: string): string {
  const way = relative(dataDir, path)
  const isOutside = way === "" || isAbsolute(way) || way.split(sep)[0] === ".."
  return isOutside ? path : way.split(sep).join("/")
}
/** The absolute path that is stored so. What is stored has been resolved, and lists have hundreds of them. */
export const actualPath = (dataDir: string, stored: string): string =>
  isAbsolute(stored) ? stored : `${dataDir}${sep}${sep === "/" ? stored : stored.replaceAll("/", sep)}`
