import { extname } from "node:path"
import { breathe } from "../../core/breathe.ts"
import type { FoundFile } from "../../engines/folder-watcher/scan.ts"
import { isShownOnly } from "../../engines/folder-watcher/shown-names.ts"
import { contentFields, pathOf, placeFields, queuedFields, scanPriority, type FileRow } from "./file-entry.ts"

/** What must change in the database for a folder to say what its directory holds. */
export interface Differences {
  added: FoundFile[]
  changed: { from: FileRow; to: Partial<FileRow>; newContent: boolean }[]
  vanished: FileRow[]
}

/**
 * Compares files on disk with rows. Same size and modification time mean same content. A vanished row and a new file
 * are one that moved when they have the same inode, or the same name, size and modification time: it keeps its id.
 */
export async function compare(found: Iterable<FoundFile>, rows: readonly FileRow[]): Promise<Differences> {
  const byPath = await keyed(rows, pathOf)
  const appeared: FoundFile[] = []
  const changed: Differences["changed"] = []
  for (const file of found) {
    await breathe()
    const row = byPath.get(file.path)
    byPath.delete(file.path)
    if (!row) appeared.push(file)
    else if (!sameContent(row, file)) changed.push(withContent(row, file))
    else if (row.identity !== file.identity || row.storage !== file.storage) {
      const newContent = row.storage !== file.storage
      changed.push(newContent ? withContent(row, file) : { from: row, to: contentFields(file), newContent })
    }
  }
  const left = new Set(byPath.values())
  const byIdentity = await keyed([...left].filter(hasIdentity), (row) => row.identity)
  const byLooks = await keyed(left, (row) => looks(row.name, row))
  const added: FoundFile[] = []
  for (const file of appeared) {
    await breathe()
    const name = placeFields(file).name
    const candidates = [byIdentity.get(file.identity), byLooks.get(looks(name, file))]
    const row = candidates.find((candidate) => candidate && left.has(candidate))
    if (!row) {
      added.push(file)
      continue
    }
    left.delete(row)
    changed.push(moved(row, file))
  }
  return { added, changed, vanished: [...left] }
}

async function keyed(rows: Iterable<FileRow>, key: (row: FileRow) => string): Promise<Map<string, FileRow>> {
  const map = new Map<string, FileRow>()
  for (const row of rows) {
    await breathe()
    map.set(key(row), row)
  }
  return map
}

const sameContent = (row: FileRow, file: FoundFile) =>
  row.size === file.size && row.modifiedMs === file.modifiedMs

/** Inodes are used again after a deletion; only together with a time of birth do they name one file. */
const hasIdentity = (row: FileRow) => !row.identity.endsWith(":0")

const looks = (name: string, { size, modifiedMs }: { size: number; modifiedMs: number }) =>
  `${size} ${modifiedMs} ${name}`

function withContent(from: FileRow, file: FoundFile) {
  return { from, to: { ...contentFields(file), ...queuedFields(scanPriority) }, newContent: true }
}

function moved(from: FileRow, file: FoundFile) {
  const place = placeFields(file)
  // The type depends on the extension, so the text may come out differently.
  const sameType = extname(from.name).toLowerCase() === extname(place.name).toLowerCase()
  // What couldn't be opened by its name perhaps can now.
  const sameReach = isShownOnly(pathOf(from)) === isShownOnly(file.path)
  if (sameContent(from, file) && sameType && sameReach)
    return { from, to: { ...place, ...contentFields(file) }, newContent: false }
  const change = withContent(from, file)
  return { ...change, to: { ...change.to, ...place } }
}
