import type { Entry } from "yauzl"
import { reason } from "../../../shared/contract/file-reasons.ts"
import type { FileReason } from "../../../shared/contract/files.ts"
import { maxMembers } from "../document/document-blocks.ts"
import { createTimeCheck, LeftOutParts } from "../document/left-out-parts.ts"
import { failure, ParseFailure, type Block, type Parser } from "../parser.ts"
import { removeInvisible } from "../text/invisible-characters.ts"
import { ZipArchive } from "../zip/zip-archive.ts"

/** Maximum archives inside one another. */
const maxDepth = 3
const maxPathCharacters = 300

/** Files that operating systems add to archives: macOS's resource forks, and settings of folders. */
const systemFiles = /^__MACOSX\/|(^|\/)(\.DS_Store|Thumbs\.db|desktop\.ini)$/i

/** Reads ZIP archives: each member as a document of its own type. A member that can't be read doesn't affect the others. */
export const zip: Parser = {
  async *parse({ file, name: archiveName }, context) {
    if (context.archives >= maxDepth) throw failure("archive_too_deep", { count: maxDepth })
    const isTooSlow = createTimeCheck()
    const archive = await ZipArchive.open(file, { tolerant: true })
    const overlapping = findOverlapping(archive.list)
    const members = getMembers(archive.list)
    if (members.length === 0) throw failure("empty", { name: archiveName })
    const leftOut = new LeftOutParts(context)
    let firstFailure: (Innermost & Pick<ParseFailure, "outcome">) | undefined
    let tried = 0
    let skipped = 0
    for (const { path, entry } of members) {
      if (tried >= maxMembers || isTooSlow()) break
      tried++
      const name = path.split("/").at(-1) ?? path
      const bytes = (maxBytes: number) => unpack(archive, entry, overlapping, maxBytes)
      try {
        let isStart = !context.onlyScan
        const note = (fileReason: FileReason) => leftOut.add(withinPath(path, name, fileReason))
        for await (const block of context.embedded({ name, bytes, role: "member", note })) {
          if (isStart && block.location.entry === undefined) yield memberHeading(path)
          isStart = false
          yield withinMember(path, block)
        }
      } catch (error) {
        if (!(error instanceof ParseFailure)) throw error
        const innermost = getInnermost(path, error.reason)
        firstFailure ??= { ...innermost, outcome: error.outcome }
        skipped++
        // An archive of which nothing can be read has already noted its files.
        if (error.reason.code !== "archive_unreadable_because")
          leftOut.add(reason("entry_skipped", innermost))
      }
    }
    leftOut.finish((count) => reason("entries_skipped_more", { count }))
    const left = members.length - tried + Math.max(0, archive.size - archive.list.length)
    if (left > 0) context.note(reason("entries_not_read", { read: tried, count: tried + left }))
    if (firstFailure && skipped === tried && !context.onlyScan) {
      const { outcome, ...innermost } = firstFailure
      throw new ParseFailure(reason("archive_unreadable_because", innermost), outcome)
    }
  },
}

/** A file that can't be read, also one in an archive inside the archive, and why. */
interface Innermost {
  name: string
  cause: FileReason
}

/** If an archive can't be read because of a file in it, returns that file, because a reason has only one cause. */
function getInnermost(path: string, cause: FileReason): Innermost {
  const name = cause.values?.["name"]
  if (cause.code !== "archive_unreadable_because" || !cause.cause || name === undefined)
    return { name: path, cause }
  return { name: cutPath(`${path}/${name}`), cause: cause.cause }
}

/** Names the part of a member that a note is about by its path in the archive. */
function withinPath(path: string, name: string, { document, ...fileReason }: FileReason): FileReason {
  const inside =
    document === undefined || document === name.slice(0, 200) ? path : cutPath(`${path}/${document}`)
  if (fileReason.code !== "entry_skipped") return { ...fileReason, document: inside }
  const values = { ...fileReason.values, name: cutPath(`${inside}/${fileReason.values?.["name"]}`) }
  return { ...fileReason, values }
}

const memberHeading = (path: string): Block => ({ kind: "heading", text: path, location: { entry: path } })

function withinMember(path: string, block: Block): Block {
  const { entry } = block.location
  if (entry === undefined) return { ...block, location: { ...block.location, entry: path } }
  const inner = cutPath(`${path}/${entry}`)
  const isHeading = block.kind === "heading" && block.text === entry
  return { ...block, ...(isHeading && { text: inner }), location: { ...block.location, entry: inner } }
}

interface Member {
  /** Numbered if the archive has several members of that name. */
  path: string
  entry: Entry
}

function getMembers(list: readonly Entry[]): Member[] {
  const members: Member[] = []
  const counts = new Map<string, number>()
  for (const entry of list) {
    const path = getPath(entry)
    if (entry.fileName.endsWith("/") || systemFiles.test(path)) continue
    const count = (counts.get(path) ?? 0) + 1
    counts.set(path, count)
    members.push({ path: count === 1 ? path : addNumber(path, count), entry })
  }
  return members
}

/** "a/b.txt" and 2 become "a/b (2).txt". */
const addNumber = (path: string, number: number): string =>
  path.replace(/(\.[^./]{1,16})?$/, (extension) => ` (${number})${extension}`)

/** Returns a path below the archive, whatever its name says. Members are never written to the disk. */
function getPath(entry: Pick<Entry, "fileName">): string {
  const parts = removeInvisible(entry.fileName)
    .replaceAll(/\p{Cc}/gu, "")
    .replaceAll("\\", "/")
    .replace(/^[a-z]:/i, "")
    .split("/")
    .filter((part) => part.trim() !== "" && part !== "." && part !== "..")
  return cutPath(parts.join("/")) || "unnamed"
}

/** Keeps the end, which has the member's own name. */
const cutPath = (path: string): string =>
  path.length > maxPathCharacters ? `…${path.slice(1 - maxPathCharacters)}` : path

const localHeaderBytes = 30

/** Returns the entries whose bytes belong to an earlier one, too. Archives that unpack to many times their size are made this way. */
function findOverlapping(list: readonly Entry[]): ReadonlySet<Entry> {
  const found = new Set<Entry>()
  let end = 0
  for (const entry of list.toSorted(
    (a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader,
  )) {
    const start = entry.relativeOffsetOfLocalHeader
    if (start < end) found.add(entry)
    end = Math.max(end, start + localHeaderBytes + entry.fileNameLength + entry.compressedSize)
  }
  return found
}

const [stored, deflated] = [0, 8]

async function unpack(
  archive: ZipArchive,
  entry: Entry,
  overlapping: ReadonlySet<Entry>,
  maxBytes: number,
): Promise<Buffer> {
  if (entry.isEncrypted()) throw failure("encrypted")
  if (overlapping.has(entry)) throw failure("entry_overlaps")
  if (![stored, deflated].includes(entry.compressionMethod)) throw failure("compression_unknown")
  if (entry.uncompressedSize > maxBytes) throw failure("entry_too_large")
  const bytes = Buffer.alloc(entry.uncompressedSize)
  let length = 0
  for await (const chunk of archive.readEntry(entry)) {
    if (length + chunk.length > bytes.length) throw failure("damaged_zip")
    length += chunk.copy(bytes, length)
  }
  if (length < bytes.length) throw failure("damaged_zip")
  return bytes
}
