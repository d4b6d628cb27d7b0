import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  writeSync,
  statSync,
} from "node:fs"
import { dirname, join } from "node:path"
import { z } from "zod"
import { databaseFile, knownDatabasePath } from "../data-layout.ts"
import { DatabaseUnusable } from "../database/database.ts"
import { readStored } from "../database/sql-helpers.ts"
import { partialPrefix } from "../files/durable-file.ts"
import { readSmallFileNow } from "../files/file-contents.ts"
import { newId } from "../ids.ts"

/** Its presence means that Casella may change and delete everything in the directory. */
export const markerFile = "casella.json"

/** A directory without one of these isn't a box's data. */
export const dataDirectoryMarkers: readonly string[] = [markerFile, databaseFile]
/** A lone copy of a database among documents has none of these next to it. */
const dataDirectoryEntries = ["folders", "uploads", "index", "secrets.json", "box.json"]

const currentFormat = 1
const Marker = z.object({
  format: z.int().positive(),
  /** Random; a copy of the directory gets a new one. */
  id: z.string().min(1),
  /** Real path of the directory when a box last ran in it. */
  place: z.string().min(1),
  /** False until a database was created: until then, a missing database isn't a lost one. */
  hasDatabase: z.boolean(),
  /** The database on a server whose rows the files in the directory belong to; null: the rows are in its file. */
  server: z.object({ name: z.string(), id: z.string() }).nullable().default(null),
  /** Whether its rows are being moved to a server, or back. */
  moving: z.boolean().default(false),
})
export type Marker = z.infer<typeof Marker>

/**
 * Returns null without a marker, and "damaged" if it can't be parsed.
 * @throws DatabaseUnusable if a newer Casella wrote it.
 */
export function readMarker(directory: string): Marker | "damaged" | null {
  let text: string
  try {
    text = readSmallFileNow(join(directory, markerFile))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === "ENOENT" || code === "ENOTDIR") return null
    if (code === "EISDIR") return "damaged"
    throw error
  }
  const marker = readStored(Marker, text)
  if (marker !== undefined && marker.format > currentFormat)
    throw new DatabaseUnusable(
      "This data directory was written by a newer version of Casella. Update Casella, or choose another directory with --data.",
    )
  return marker ?? "damaged"
}

/** Whether the directory is the data of this box, another box or a copy, and not someone's documents. */
export function isDataDirectory(directory: string): boolean {
  const has = (name: string) => existsSync(join(directory, name))
  if (!dataDirectoryMarkers.some(has)) return false
  return dataDirectoryEntries.some(has) || isMarked(directory)
}

/** Whether a path leads into the data of this box or another one. */
export function isInDataDirectory(path: string): boolean {
  if (isDataDirectory(path)) return true
  return path !== dirname(path) && isInDataDirectory(dirname(path))
}

function isMarked(directory: string): boolean {
  try {
    const marker = readMarker(directory)
    return marker !== null && marker !== "damaged"
  } catch {
    return true // from a newer Casella, or unreadable
  }
}

/** Replaces the marker atomically: it survives a power cut, and a reader sees either the old or the new one. */
export function writeMarker(directory: string, marker: Omit<Marker, "format">): void {
  renameSync(writePartial(directory, marker), join(directory, markerFile))
}

/** Does the same, but keeps a marker that appeared in the meantime: the start that wrote it may have created a database already. */
export function makeMarker(directory: string, marker: Omit<Marker, "format">): void {
  const partial = writePartial(directory, marker)
  const path = join(directory, markerFile)
  try {
    linkSync(partial, path)
  } catch {
    if (!existsSync(path)) renameSync(partial, path) // a file system without hard links
  }
  rmSync(partial, { force: true })
}

function writePartial(directory: string, marker: Omit<Marker, "format">): string {
  const partial = join(directory, `${partialPrefix}${newId()}`)
  const file = openSync(partial, "wx", 0o600)
  try {
    writeSync(file, `${JSON.stringify({ format: currentFormat, ...marker })}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  return partial
}

export const newMarker = (directory: string, hasDatabase: boolean): Omit<Marker, "format"> => ({
  id: newId(),
  place: realpathSync(directory),
  hasDatabase,
  server: null,
  moving: false,
})

/** From now on, a missing database is treated as lost. */
export function noteDatabase(directory: string): void {
  const marker = readMarker(directory)
  if (marker !== null && marker !== "damaged" && !marker.hasDatabase)
    writeMarker(directory, { ...marker, hasDatabase: true })
}

/** How the directory changed since a box last ran in it, and its previous location. */
export interface Relocation {
  change: "moved" | "copied" | null
  from: string
  /** ID of the directory from now on. */
  id: string
  /** Stores the new location. Call it when the owner has been notified. */
  remember(): void
}

/**
 * Detects that a claimed and locked directory was moved or copied since a box last ran in it. A copy gets a new ID at once. Neither case
 * affects how the box works, because the directory stores only its own paths.
 */
export function detectRelocation(directory: string): Relocation {
  const marker = readMarker(directory)
  if (marker === null || marker === "damaged") throw new Error("The directory isn't claimed.")
  const place = realpathSync(directory)
  const from = marker.place
  const remember = () => {
    const now = readMarker(directory)
    const kept = now === null || now === "damaged" ? marker : now
    writeMarker(directory, { ...kept, place, hasDatabase: kept.server === null })
  }
  if (from === place) return { change: null, from, id: marker.id, remember: () => undefined }
  if (isSame(from, place)) return { change: null, from, id: marker.id, remember }
  if (idAt(from) !== marker.id) return { change: "moved", from, id: marker.id, remember }
  const id = newId()
  rmSync(knownDatabasePath(directory), { force: true }) // so that the next start treats the database as a copy, whichever command calls this first
  writeMarker(directory, { ...marker, id, place })
  return { change: "copied", from, id, remember: () => undefined }
}

function idAt(directory: string): Marker["id"] | null {
  try {
    const marker = readMarker(directory)
    return marker === null || marker === "damaged" ? null : marker.id
  } catch {
    return null // whatever is there now, this directory can't be a copy of it
  }
}

/** Whether two paths lead to the same directory, for example through a mount. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => getStat(path))
  return a !== undefined && b !== undefined && a.ino === b.ino && a.dev === b.dev
}

function getStat(path: string) {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined // for example on an unreadable drive
  }
}
