import { damagedCompound } from "../compound/compound-archive.ts"
import { ArtRecords, type ArtRecord } from "../office-art/art-records.ts"
import { unlockBlocks, encryptedUnknown, passwordNeeded, rc4Stream, xor } from "../passwords/block-keys.ts"

/** Record types (MS-PPT 2.13.24) that lead to text. */
export const recordType = {
  document: 1000,
  slide: 1006,
  slideAtom: 1007,
  notes: 1008,
  notesAtom: 1009,
  slidePersist: 1011,
  slideShowInfo: 1017,
  outlineTextReference: 3998,
  textHeader: 3999,
  textCharacters: 4000,
  textBytes: 4008,
  string: 4026,
  headersFooters: 4057,
  slideList: 4080,
  userEdit: 4085,
  persistDirectory: 6002,
  comment: 12_000,
  textBox: 0xf00d,
} as const

/** The records of a PowerPoint stream. */
export class Records extends ArtRecords {
  /** Returns the text of a text record; undefined for others. */
  text({ type, start, end }: ArtRecord): string | undefined {
    if (type === recordType.textCharacters || type === recordType.string) {
      return this.bytes.toString("utf16le", start, end - ((end - start) & 1))
    }
    return type === recordType.textBytes ? this.bytes.toString("latin1", start, end) : undefined
  }
}

const headBytes = 8

/**
 * Decrypts the parts of a presentation in place, each with the key of its number (MS-PPT 2.3.7 and MS-OFFCRYPTO 2.3.5.1). Edits,
 * directories and the encryption header are never encrypted.
 */
function decryptParts(
  records: Records,
  offsets: ReadonlyMap<number, number>,
  encryptionReference: number,
  password: string | undefined,
): void {
  const described = records.at(offsets.get(encryptionReference) ?? -1)
  if (!described) throw encryptedUnknown()
  const { bytes } = records
  const getKey = unlockBlocks(Buffer.from(bytes.subarray(described.start, described.end)), password ?? "")
  if (!getKey) throw passwordNeeded(password, "encrypted_presentation")
  let total = 0
  for (const [id, offset] of offsets) {
    if (id === encryptionReference || offset + headBytes > bytes.length) continue
    xor(bytes.subarray(offset, offset + headBytes), rc4Stream(getKey(id), headBytes))
    const part = bytes.subarray(offset + headBytes, records.at(offset)?.end)
    // Parts may overlap in a damaged file and add up to many times its size.
    total += part.length
    if (total > bytes.length) throw damagedCompound()
    xor(part, rc4Stream(getKey(id), headBytes + part.length).subarray(headBytes))
  }
}

/** A slide, master or notes page, with its outline text. */
export interface SlideEntry {
  record: ArtRecord | undefined
  slideId: number
  texts: { text: string; isTitle: boolean }[]
}

export interface SlideLists {
  /** Contains the pictures; undefined in a damaged file. */
  document: ArtRecord | undefined
  isEncrypted: boolean
  slides: SlideEntry[]
  notes: SlideEntry[]
  /** Default headers and footers of slides and notes. */
  footers: ArtRecord[]
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
  const { offsets, documentReference, encryptionReference } = readPartOffsets(
    records,
    known ? currentUser.readUInt32LE(16) : -1,
  )
  if (encryptionReference !== undefined) decryptParts(records, offsets, encryptionReference, password)
  else if (known && currentUser.readUInt32LE(12) === encryptedToken) throw encryptedUnknown()
  const document =
    recordAt(records, offsets.get(documentReference), recordType.document) ?? lastDocument(records)
  const isEncrypted = encryptionReference !== undefined
  const lists: SlideLists = { document, isEncrypted, slides: [], notes: [], footers: [] }
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
          record: recordAt(records, offsets.get(records.number(record, 0)), type),
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
  offsets: Map<number, number>
  documentReference: number
  encryptionReference: number | undefined
}

/** Finds the locations of the presentation's parts. Some parts move at each save (MS-PPT 2.3.4). */
function readPartOffsets(records: Records, lastEdit: number): PersistDirectory {
  const offsets = new Map<number, number>()
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
    if (directory) addPersistEntries(records, directory, offsets)
    at = records.number(edit, 8)
  }
  return { offsets, documentReference, encryptionReference }
}

function addPersistEntries(records: Records, directory: ArtRecord, offsets: Map<number, number>): void {
  const length = directory.end - directory.start
  for (let at = 0; at + 4 <= length;) {
    const head = records.number(directory, at)
    const first = head & 0xfffff
    const count = Math.min(head >>> 20, (length - at - 4) >>> 2)
    for (let index = 0; index < count; index++) {
      if (!offsets.has(first + index))
        offsets.set(first + index, records.number(directory, at + 4 + index * 4))
    }
    at += 4 + count * 4
  }
}

function recordAt(records: Records, offset: number | undefined, type: number): ArtRecord | undefined {
  const record = offset === undefined ? undefined : records.at(offset)
  return record?.type === type ? record : undefined
}

function lastDocument(records: Records): ArtRecord | undefined {
  let found: ArtRecord | undefined
  for (const record of records.within({ start: 0, end: records.bytes.length })) {
    if (record.type === recordType.document) found = record
  }
  return found
}
