import type { IgnoreRules } from "../../../engines/folder-watcher/ignore-rules.ts"
import { scan, type FoundFile } from "../../../engines/folder-watcher/scan.ts"
import { certainPart } from "../../../engines/folder-watcher/shown-names.ts"
import { breathe } from "../../../core/waiting/breathe.ts"
import { pathOf, type FileRow } from "../file-entry.ts"
import type { FolderPlace } from "../folder-places.ts"
import type { FileStore } from "../store.ts"
import { requireDrive } from "./drive.ts"
import { goneOf } from "./gone-files.ts"

/** What a folder's directory holds at or below some paths, and what is known of it. */
export interface Survey {
  found: FoundFile[]
  /** Files that are known there, those that moved there from elsewhere in the folder, and those that were asked for. */
  known: FileRow[]
  /** Paths of files that are perhaps still being written; they are neither in `found` nor in `known`. */
  unsettled: string[]
  /** Relative paths at which other drives are mounted, with their devices. */
  mounted: Map<string, string>
}

export interface SurveyOptions {
  store: Pick<FileStore, "under" | "byIds" | "byIdentity">
  folder: Pick<FolderPlace, "id" | "path" | "managed">
  rules: IgnoreRules
  /** Relative paths at or below which to look. */
  paths: readonly string[]
  /** Device of the directory; throws when it lies on another by the end of the look. */
  device: string
  /** Further files, by id, that are to be among the known. */
  left: readonly string[]
  signal: AbortSignal
}

/** A file that was modified more recently is perhaps still being written. */
export const stillMs = 600

export async function survey(options: SurveyOptions): Promise<Survey> {
  const { store, folder, rules, paths, device, left, signal } = options
  const rows = new Map<string, FileRow>()
  const found = new Map<string, FoundFile>()
  const unreadable: string[] = []
  const mounted = new Map<string, string>()
  for (const path of await outermost(paths.map(certainPart))) {
    signal.throwIfAborted()
    // Rows first: a file that is uploaded meanwhile is found without a row, never the other way round.
    for (const row of await store.under(folder.id, path)) rows.set(row.id, row)
    const result = await scan(folder.path, path, rules, signal)
    for (const file of result.files.values()) found.set(file.path, file)
    unreadable.push(...result.unreadable)
    for (const [directory, device] of result.mounts) mounted.set(directory, device)
  }
  await requireDrive(folder.path, device)
  const unsettled = new Set<string>()
  if (!folder.managed) for (const file of found.values()) if (isBeingWritten(file)) unsettled.add(file.path)
  for (const path of unsettled) found.delete(path)
  for (const row of await movedFrom(found, rows, options)) rows.set(row.id, row)
  for (const row of await store.byIds(left, folder.id)) rows.set(row.id, row)
  const known: FileRow[] = []
  for (const row of rows.values()) {
    await breathe()
    const path = pathOf(row)
    if (!unsettled.has(path) && !unreadable.some((directory) => path.startsWith(`${directory}/`)))
      known.push(row)
  }
  return { found: [...found.values()], known, unsettled: [...unsettled], mounted }
}

/** Rows elsewhere in the folder whose file now has one of the found paths. */
async function movedFrom(
  files: ReadonlyMap<string, FoundFile>,
  seen: ReadonlyMap<string, FileRow>,
  options: SurveyOptions,
): Promise<FileRow[]> {
  const known = new Set<string>()
  for (const row of seen.values()) {
    await breathe()
    known.add(pathOf(row))
  }
  const appeared = [...files.values()].filter((file) => !known.has(file.path))
  const candidates = await options.store.byIdentity(
    options.folder.id,
    appeared.map((file) => file.identity),
  )
  return goneOf(
    candidates.filter((row) => !seen.has(row.id)),
    options,
  )
}

/** Paths without those that lie inside others of them. */
async function outermost(paths: readonly string[]): Promise<string[]> {
  const sorted = [...new Set(paths)].sort()
  if (sorted[0] === "") return [""]
  const chosen = new Set<string>()
  for (const path of sorted) {
    await breathe()
    const names = path.split("/")
    const inside = names.some((_, depth) => depth > 0 && chosen.has(names.slice(0, depth).join("/")))
    if (!inside) chosen.add(path)
  }
  return [...chosen]
}

function isBeingWritten(file: FoundFile): boolean {
  // A time in the future comes from another clock and says nothing, except one within the clock's own precision.
  const ageMs = Date.now() - file.modifiedMs
  return ageMs > -stillMs && ageMs < stillMs
}
