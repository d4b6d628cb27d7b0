import { inflateSync } from "node:zlib"
import type { Location } from "../../../shared/contract/location.ts"
import { findBitmapInMetafile, toBitmapFile } from "../image/metafile.ts"
import { failure, type Block, type ParseContext } from "../parser.ts"
import { ArtRecords, type ArtRecord } from "./art-records.ts"

/** Record types (MS-ODRAW 2.2). */
export const artType = {
  storedPictures: 0xf001,
  shape: 0xf004,
  storedPicture: 0xf007,
  shapeInfo: 0xf00a,
  shapeOptions: 0xf00b,
  anchor: 0xf010,
} as const

/** Types of pictures (MS-ODRAW 2.2.23). Enhanced metafiles and Macintosh pictures are drawings. */
const windowsMetafile = 0xf01b
const bitmap = 0xf01f
const pictureFiles = new Set([0xf01d, 0xf01e, bitmap, 0xf029, 0xf02a])

const identifierBytes = 16
const metafileHeaderBytes = 34
const compressionAt = 32
const uncompressed = 0xfe

/** Returns the file of a picture that is stored in this record; undefined for a drawing. Throws `ParseFailure` if it exceeds `maxBytes`. */
function getFile({ bytes }: ArtRecords, record: ArtRecord, maxBytes: number): Buffer | undefined {
  const { type, instance, start, end } = record
  // Odd instances have a second identifier.
  const at = start + identifierBytes * (1 + (instance & 1))
  const isFile = pictureFiles.has(type)
  if (!isFile && type !== windowsMetafile) return undefined
  if (end - start > maxBytes) throw failure("picture_too_large")
  if (isFile) {
    const file = bytes.subarray(at + 1, end)
    return type === bitmap ? toBitmapFile(file) : file
  }
  if (at + metafileHeaderBytes > end) return undefined
  const stored = bytes.subarray(at + metafileHeaderBytes, end)
  if (bytes[at + compressionAt] === uncompressed) return findBitmapInMetafile(stored)
  try {
    return findBitmapInMetafile(inflateSync(stored, { maxOutputLength: maxBytes }))
  } catch {
    throw failure("picture_damaged")
  }
}

/** Returns the first picture in these records or those inside them; undefined if there is only a drawing, or none. */
export function findFile(
  records: ArtRecords,
  parent: { start: number; end: number },
  maxBytes: number,
): Buffer | undefined {
  const none = new ArtRecords(Buffer.alloc(0))
  for (const record of records.deep(parent)) {
    const found =
      record.type === artType.storedPicture
        ? getStored(records, record, none, maxBytes)
        : getFile(records, record, maxBytes)
    if (found) return found
  }
  return undefined
}

const delayedAt = 28
const nameBytesAt = 33
const entryBytes = 36

/** @param delayed the stream in which pictures are stored that aren't in their entry (MS-ODRAW 2.2.32) */
function getStored(
  records: ArtRecords,
  entry: ArtRecord,
  delayed: ArtRecords,
  maxBytes: number,
): Buffer | undefined {
  if (entry.end - entry.start < entryBytes) return undefined
  const own = entry.start + entryBytes + (records.bytes[entry.start + nameBytesAt] ?? 0)
  const inside = records.at(own, entry.end)
  if (inside) return getFile(records, inside, maxBytes)
  const apart = delayed.at(records.number(entry, delayedAt))
  return apart && getFile(delayed, apart, maxBytes)
}

const maxStored = 10_000

/** The pictures that the shapes of a document share. They refer to them by number, from 1. */
export class StoredPictures {
  readonly #records: ArtRecords
  readonly #delayed: ArtRecords
  readonly #entries: ArtRecord[] = []

  /**
   * @param parent contains the list of pictures
   * @param delayed the stream with the pictures that aren't in the list
   */
  constructor(
    records: ArtRecords,
    parent: { start: number; end: number },
    delayed: Buffer = Buffer.alloc(0),
  ) {
    this.#records = records
    this.#delayed = new ArtRecords(delayed)
    for (const list of records.deep(parent, ({ type }) => type !== artType.storedPictures)) {
      if (list.type !== artType.storedPictures) continue
      for (const entry of records.within(list))
        if (this.#entries.length < maxStored) this.#entries.push(entry)
      break
    }
  }

  /** Returns the file of a picture; undefined for a drawing. Throws `ParseFailure` if it exceeds `maxBytes` or is damaged. */
  load(number: number, maxBytes: number): Buffer | undefined {
    const entry = this.#entries[number - 1]
    if (!entry) return undefined
    if (entry.type !== artType.storedPicture) return getFile(this.#records, entry, maxBytes)
    return getStored(this.#records, entry, this.#delayed, maxBytes)
  }

  /** Yields a block for a picture, if pictures are wanted. Its key is its number. */
  async *see(
    picture: number,
    place: { location: Location; isHidden: boolean },
    { pictures }: Pick<ParseContext, "pictures">,
  ): AsyncGenerator<Block, void, undefined> {
    if (!pictures) return
    const load = (maxBytes: number) => Promise.resolve().then(() => this.load(picture, maxBytes))
    yield* pictures.see({ key: String(picture), ...place, load })
  }
}

/** A shape that shows a picture. */
export interface PictureShape {
  /** Its own number in the document. */
  id: number
  /** Number of its picture, from 1. */
  picture: number
  /** Column and row of a sheet at which it begins, from 0. */
  column: number
  row: number
}

const pictureOption = 0x104
const optionBytes = 6
const maxShapes = 10_000

/** Returns the shapes inside that show a picture. A background is a shape that is filled with one instead. */
export function findPictureShapes(
  records: ArtRecords,
  parent: { start: number; end: number },
): PictureShape[] {
  const shapes: PictureShape[] = []
  for (const shape of records.deep(parent, ({ type }) => type !== artType.shape)) {
    if (shape.type !== artType.shape) continue
    const found: PictureShape = { id: 0, picture: 0, column: 0, row: 0 }
    for (const part of records.within(shape)) {
      if (part.type === artType.shapeInfo) found.id = records.number(part, 0)
      else if (part.type === artType.shapeOptions) found.picture ||= getPicture(records, part)
      else if (part.type === artType.anchor)
        Object.assign(found, { column: records.short(part, 2), row: records.short(part, 6) })
    }
    if (found.picture > 0 && shapes.length < maxShapes) shapes.push(found)
  }
  return shapes
}

/** Returns the picture that the options of a shape name, or 0. */
function getPicture(records: ArtRecords, options: ArtRecord): number {
  for (let index = 0; index < options.instance; index++) {
    const at = index * optionBytes
    if (options.start + at + optionBytes > options.end) break
    // The two highest bits describe the value.
    if ((records.short(options, at) & 0x3fff) === pictureOption) return records.number(options, at + 2)
  }
  return 0
}
