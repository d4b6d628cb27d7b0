import { realpathSync, rmSync, statSync } from "node:fs"
import { knownDatabasePath } from "../data-layout.ts"
import { newId } from "../ids.ts"
import { readMarker, writeMarker, type Marker } from "./marker.ts"

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
