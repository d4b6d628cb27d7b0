import { type IgnoreRules, scan, type FoundFile, certainPart } from "../../../engines/folder-watcher/scan.ts"
import { yieldToEventLoop } from "../../../core/waiting/yield-to-event-loop.ts"
import { getPath, type FileRow } from "../file-entry.ts"
import type { StoredFolder } from "../folder-places.ts"
import type { FileStore } from "../store.ts"
import { requireDrive } from "./known-directories.ts"
import { findGoneFiles } from "./missing-files.ts"

/** The content of a folder's directory at and below some paths, and its known files. */
export interface Survey {
  found: FoundFile[]
  /** Files that are known there, files that moved there from elsewhere in the folder, and requested files. */
  known: FileRow[]
  /** Paths of files that may still be being written; they are in neither `found` nor `known`. */
  unsettled: string[]
  /** Relative paths where other drives are mounted, with their devices. */
  mounted: Map<string, string>
}

export interface SurveyOptions {
  store: Pick<FileStore, "under" | "findByIds" | "findByIdentity">
  folder: Pick<StoredFolder, "id" | "path" | "managed">
  rules: IgnoreRules
  /** Relative paths to scan, with everything below them. */
  paths: readonly string[]
  /** Device of the directory. Throws if it has changed by the end of the scan. */
  device: string
  /** IDs of further files to include in `known`. */
  left: readonly string[]
  signal: AbortSignal
}

/** A file modified more recently than this may still be being written. */
export const writeSettleMs = 600

export async function survey(options: SurveyOptions): Promise<Survey> {
  const { store, folder, rules, paths, device, left, signal } = options
  const rows = new Map<string, FileRow>()
  const found = new Map<string, FoundFile>()
  const unreadable: string[] = []
  const mounted = new Map<string, string>()
  for (const path of await outermost(paths.map(certainPart))) {
    signal.throwIfAborted()
    // Rows first: a file uploaded in the meantime is found without a row, never the other way round.
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
  for (const row of await store.findByIds(left, folder.id)) rows.set(row.id, row)
  const known: FileRow[] = []
  for (const row of rows.values()) {
    await yieldToEventLoop()
    const path = getPath(row)
    if (!unsettled.has(path) && !unreadable.some((directory) => path.startsWith(`${directory}/`)))
      known.push(row)
  }
  return { found: [...found.values()], known, unsettled: [...unsettled], mounted }
}

/** Returns rows elsewhere in the folder whose file now has one of the found paths. */
async function movedFrom(
  files: ReadonlyMap<string, FoundFile>,
  seen: ReadonlyMap<string, FileRow>,
  options: SurveyOptions,
): Promise<FileRow[]> {
  const known = new Set<string>()
  for (const row of seen.values()) {
    await yieldToEventLoop()
    known.add(getPath(row))
  }
  const appeared = [...files.values()].filter((file) => !known.has(file.path))
  const candidates = await options.store.findByIdentity(
    options.folder.id,
    appeared.map((file) => file.identity),
  )
  return findGoneFiles(
    candidates.filter((row) => !seen.has(row.id)),
    options,
  )
}

/** Returns the paths without those inside other paths. */
async function outermost(paths: readonly string[]): Promise<string[]> {
  const sorted = [...new Set(paths)].sort()
  if (sorted[0] === "") return [""]
  const chosen = new Set<string>()
  for (const path of sorted) {
    await yieldToEventLoop()
    const names = path.split("/")
    const inside = names.some((_, depth) => depth > 0 && chosen.has(names.slice(0, depth).join("/")))
    if (!inside) chosen.add(path)
  }
  return [...chosen]
}

function isBeingWritten(file: FoundFile): boolean {
  // A time in the future comes from another clock and is ignored, unless it is within the clock's precision.
  const ageMs = Date.now() - file.modifiedMs
  return ageMs > -writeSettleMs && ageMs < writeSettleMs
}
