import { encryptedUnknown } from "../passwords/password-needed.ts"
import { decryptParts } from "./decrypt-parts.ts"
import { recordType } from "./records.ts"
import type { PptRecord, Records } from "./records.ts"

/** A slide, master or notes page, with its outline text. */
export interface SlideEntry {
  record: PptRecord | undefined
  slideId: number
  texts: { text: string; isTitle: boolean }[]
}

export interface SlideLists {
  slides: SlideEntry[]
  notes: SlideEntry[]
  /** Default headers and footers of slides and notes. */
  footers: PptRecord[]
}

const titleTypes = new Set([0, 6])
const notesList = 2
const encryptedToken = 0xf3d1c4df
/** The last edit of an encrypted file refers to the record with the key (MS-PPT 2.3.3). */
const encryptedEditBytes = 32
const maxEdits = 10_000

/** Returns slides and notes pages in order, as of the last save of the presentation. */
export function readSlideLists(
  records: Records,
  currentUser: Buffer,
  password: string | undefined,
): SlideLists {
  const known = currentUser.length >= 20
  const { places, documentReference, encryptionReference } = readPartOffsets(
    records,
    known ? currentUser.readUInt32LE(16) : -1,
  )
  if (encryptionReference !== undefined) decryptParts(records, places, encryptionReference, password)
  else if (known && currentUser.readUInt32LE(12) === encryptedToken) throw encryptedUnknown()
  const document =
    recordAt(records, places.get(documentReference), recordType.document) ?? lastDocument(records)
  const lists: SlideLists = { slides: [], notes: [], footers: [] }
  if (!document) return lists
  for (const list of records.within(document)) {
    if (list.type === recordType.headersFooters) lists.footers.push(list)
    if (list.type !== recordType.slideList || (list.instance !== 0 && list.instance !== notesList)) continue
    const entries = list.instance === 0 ? lists.slides : lists.notes
    let isTitle = false
    for (const record of records.within(list)) {
      const text = records.text(record)
      if (record.type === recordType.slidePersist) {
        const type = list.instance === 0 ? recordType.slide : recordType.notes
        entries.push({
          record: recordAt(records, places.get(records.number(record, 0)), type),
          slideId: records.number(record, 12),
          texts: [],
        })
      } else if (record.type === recordType.textHeader) isTitle = titleTypes.has(records.number(record, 0))
      else if (text !== undefined) entries.at(-1)?.texts.push({ text, isTitle })
    }
  }
  return lists
}

interface PersistDirectory {
  places: Map<number, number>
  documentReference: number
  encryptionReference: number | undefined
}

/** Finds the locations of the presentation's parts. Some parts move at each save (MS-PPT 2.3.4). */
function readPartOffsets(records: Records, lastEdit: number): PersistDirectory {
  const places = new Map<number, number>()
  let documentReference = -1
  let encryptionReference: number | undefined
  const seen = new Set<number>()
  for (let at = lastEdit; at > 0 && !seen.has(at) && seen.size < maxEdits;) {
    seen.add(at)
    const edit = records.at(at)
    if (edit?.type !== recordType.userEdit) break
    if (edit.end - edit.start >= encryptedEditBytes) encryptionReference ??= records.number(edit, 28)
    if (documentReference < 0) documentReference = records.number(edit, 16)
    const directory = recordAt(records, records.number(edit, 12), recordType.persistDirectory)
    if (directory) addPersistEntries(records, directory, places)
    at = records.number(edit, 8)
  }
  return { places, documentReference, encryptionReference }
}

function addPersistEntries(records: Records, directory: PptRecord, places: Map<number, number>): void {
  const length = directory.end - directory.start
  for (let at = 0; at + 4 <= length;) {
    const head = records.number(directory, at)
    const first = head & 0xfffff
    const count = Math.min(head >>> 20, (length - at - 4) >>> 2)
    for (let index = 0; index < count; index++) {
      if (!places.has(first + index)) places.set(first + index, records.number(directory, at + 4 + index * 4))
    }
    at += 4 + count * 4
  }
}

function recordAt(records: Records, offset: number | undefined, type: number): PptRecord | undefined {
  const record = offset === undefined ? undefined : records.at(offset)
  return record?.type === type ? record : undefined
}

function lastDocument(records: Records): PptRecord | undefined {
  let found: PptRecord | undefined
  for (const record of records.within({ start: 0, end: records.bytes.length })) {
    if (record.type === recordType.document) found = record
  }
  return found
}
