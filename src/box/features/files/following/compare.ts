import { extname } from "node:path"
import { reason, reasonText } from "../../../../shared/contract/file-reasons.ts"
import { yieldToEventLoop } from "../../../core/waiting/yield-to-event-loop.ts"
import { type FoundFile, isShownOnly } from "../../../engines/folder-watcher/scan.ts"
import { contentFields, getPath, locationFields, type FileRow, type PlaceAndContent } from "../file-entry.ts"

/** Database changes that are needed for a folder to match its directory. */
export interface Differences {
  added: FoundFile[]
  changed: Change[]
  /** Files with unchanged size and time that may still be different. Their bytes must be compared. */
  doubtful: { from: FileRow; to: FoundFile }[]
  /** Paths of files that were touched while being read. Their content is known only after reading. */
  inProgress: string[]
  vanished: FileRow[]
}

export interface Change {
  from: FileRow
  /** New location and content columns. The state follows from `newContent`. */
  to: Partial<PlaceAndContent>
  newContent: boolean
}

/**
 * Compares files on disk with rows. Equal size and modification time mean equal content: always in the box's own directories, elsewhere
 * only while the file is untouched. A missing row and a new file are treated as a move if they have the same inode, or the same name, size
 * and modification time; the file keeps its ID.
 */
export async function compare(
  found: Iterable<FoundFile>,
  rows: readonly FileRow[],
  { managed }: { managed: boolean },
): Promise<Differences> {
  const byPath = await keyed(rows, getPath)
  const appeared: FoundFile[] = []
  const changed: Change[] = []
  const doubtful: Differences["doubtful"] = []
  const inProgress: string[] = []
  for (const file of found) {
    await yieldToEventLoop()
    const row = byPath.get(file.path)
    byPath.delete(file.path)
    if (!row) appeared.push(file)
    else if (!sameContent(row, file) || row.storage !== file.storage || wasNotFound(row))
      changed.push(toContentChange(row, file))
    else if (managed || isUntouched(row, file)) {
      if (row.identity !== file.identity || (!managed && row.changedMs === null))
        changed.push(toSameContentChange(row, file))
    } else if (row.contentHash !== null) doubtful.push({ from: row, to: file })
    else if (row.status === "processing") inProgress.push(file.path)
    else changed.push(row.status === "queued" ? toSameContentChange(row, file) : toContentChange(row, file))
  }
  const left = new Set(byPath.values())
  const byIdentity = await keyed([...left].filter(hasIdentity), (row) => row.identity)
  const bySignature = await keyed(left, (row) => describeContent(row.name, row))
  const added: FoundFile[] = []
  for (const file of appeared) {
    await yieldToEventLoop()
    const name = locationFields(file).name
    const candidates = [byIdentity.get(file.identity), bySignature.get(describeContent(name, file))]
    const row = candidates.find((candidate) => candidate && left.has(candidate))
    if (!row) {
      added.push(file)
      continue
    }
    left.delete(row)
    const change = moved(row, file)
    changed.push(change)
    if (!managed && !change.newContent && !hasMoved(row, file) && row.contentHash !== null)
      doubtful.push({ from: { ...row, ...change.to }, to: file })
  }
  return { added, changed, doubtful, inProgress, vanished: [...left] }
}

async function keyed(rows: Iterable<FileRow>, key: (row: FileRow) => string): Promise<Map<string, FileRow>> {
  const map = new Map<string, FileRow>()
  for (const row of rows) {
    await yieldToEventLoop()
    map.set(key(row), row)
  }
  return map
}

export const sameContent = (row: FileRow, file: FoundFile) =>
  row.size === file.size && row.modifiedMs === file.modifiedMs

/** Returns whether the file couldn't be read because it was missing, for example on a removed drive. */
const wasNotFound = ({ status, error }: FileRow) =>
  status === "failed" && error === reasonText(reason("gone"))

/** Compares times, because some drives assign new inodes each time they are connected. */
function isUntouched(row: FileRow, file: FoundFile): boolean {
  if (row.changedMs === null) return true // earlier versions didn't store it
  return row.changedMs === file.changedMs && getBirth(row.identity) === getBirth(file.identity)
}

const getBirth = (identity: string) => identity.slice(identity.indexOf(":"))

/** Inodes are reused after a deletion. They identify a file only together with its creation time. */
const hasIdentity = (row: FileRow) => !row.identity.endsWith(":0")

const describeContent = (name: string, { size, modifiedMs }: { size: number; modifiedMs: number }) =>
  `${size} ${modifiedMs} ${name}`

export function toSameContentChange(from: FileRow, file: FoundFile): Change {
  return { from, to: contentFields(file), newContent: false }
}

export function toContentChange(from: FileRow, file: FoundFile): Change {
  return { from, to: contentFields(file), newContent: true }
}

/** Returns whether the file was moved rather than copied. */
const hasMoved = (row: FileRow, file: FoundFile) => row.identity === file.identity

function moved(from: FileRow, file: FoundFile): Change {
  const location = locationFields(file)
  // The type depends on the extension, so the text may be different.
  const sameType = extname(from.name).toLowerCase() === extname(location.name).toLowerCase()
  // A file that couldn't be opened by its old name may open by the new one.
  const sameReach = isShownOnly(getPath(from)) === isShownOnly(file.path)
  if (sameContent(from, file) && sameType && sameReach) {
    const changedMs = hasMoved(from, file) ? file.changedMs : from.changedMs // uncertain until its bytes are compared
    return { from, to: { ...location, ...contentFields(file), changedMs }, newContent: false }
  }
  const change = toContentChange(from, file)
  return { ...change, to: { ...change.to, ...location } }
}
