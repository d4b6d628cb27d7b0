import {
  isPlausibleDate,
  maxPeople,
  maxPersonAddress,
  maxPersonName,
  type Correspondent,
  type DocumentProperties,
  type StatedProperties,
} from "../parser.ts"

/** Collects what a document states about itself: its first plausible date, and everyone it names as sender or recipient. */
export class PropertyCollector {
  readonly people: Correspondent[] = []
  date: Date | undefined
  readonly #known = new Set<string>()

  get stated(): StatedProperties {
    return { dateMs: this.date?.getTime() ?? null, people: this.people }
  }

  readonly add = ({ date, people = [] }: DocumentProperties): void => {
    if (date && isPlausibleDate(date.getTime())) this.date ??= date
    for (const person of people) {
      const name = person.name.slice(0, maxPersonName).toWellFormed()
      const address = person.address.slice(0, maxPersonAddress).toWellFormed()
      const key = `${name}\n${address}`
      if ((name === "" && address === "") || this.#known.has(key)) continue
      if (this.people.length >= maxPeople) return
      this.#known.add(key)
      this.people.push({ name, address })
    }
  }
}

const parts =
  /^\s*(\d{4})[-:]?(\d{2})(?:[-:]?(\d{2}))?(?:[T ]?(\d{2}):?(\d{2})(?::?(\d{2})(?:[.,]\d+)?)?)?\s*(?:(Z)|([+-])(\d{2}):?'?(\d{2})?'?)?/

/**
 * Parses a date with numbers from year to second as documents store it: ISO 8601, `2024:03:05 10:00:00` of Exif, and `20240305100000+01'00'`
 * of PDF. Without an offset it is UTC, so that its calendar day stays the one in the document. Undefined if it is no date.
 */
export function parseDocumentDate(text: string | undefined): Date | undefined {
  const found = parts.exec(text?.replace(/^D:/, "").slice(0, 60) ?? "")
  if (!found) return undefined
  const [, year, month, day = "01", hour = "00", minute = "00", second = "00", , sign, hours, minutes] = found
  const date = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  // A day such as 30 February isn't valid, but JavaScript reads it as 1 March.
  if (Number.isNaN(date.getTime()) || date.getUTCDate() !== Number(day)) return undefined
  const offset = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000
  if (offset > 0) date.setTime(date.getTime() - (sign === "-" ? -offset : offset))
  return date
}

const months = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ")
/** Hours from UTC of the time zones that old mails name (RFC 5322, 4.3). Others are read as UTC. */
const zones: Record<string, number> = {
  EST: -5,
  EDT: -4,
  CST: -6,
  CDT: -5,
  MST: -7,
  MDT: -6,
  PST: -8,
  PDT: -7,
}
const mailDate =
  /^\s*(?:[a-z]{2,9}\.?,?\s*)?(\d{1,2})[\s-]+([a-z]{3})[a-z]*\.?[\s-]+(\d{2,5})\s+(\d{1,2}):(\d{2})(?::(\d{2}))?\s*(?:([+-]\d{2}):?(\d{2})|([a-z]{1,4}))?/i

/** Parses the `Date` of a mail (RFC 5322). JavaScript would also find a date in `soon 5` and in the year 0. */
export function parseMailDate(text: string): Date | undefined {
  const found = mailDate.exec(text.slice(0, 100))
  if (!found) return parseDocumentDate(text)
  const [
    ,
    day = "",
    name = "",
    year = "",
    hour = "",
    minute,
    second = "00",
    hours,
    minutes = "00",
    zone = "",
  ] = found
  const month = months.indexOf(name.toLowerCase()) + 1
  const offset = hours ?? (zones[zone.toUpperCase()] ?? 0).toString()
  const sign = offset.startsWith("-") ? "-" : "+"
  const away = Math.abs(Number(offset)).toString().padStart(2, "0")
  const whole = year.length < 4 ? Number(year) + (Number(year) < 50 ? 2000 : 1900) : year
  return parseDocumentDate(
    `${whole}-${month.toString().padStart(2, "0")}-${day.padStart(2, "0")}T${hour.padStart(2, "0")}:${minute}:${second}${sign}${away}:${minutes}`,
  )
}

/** Converts a time of Microsoft's formats, in units of 100 ns since 1601; 0 means that there is none. */
export function parseFileTime(value: bigint): Date | undefined {
  if (value === 0n) return undefined
  const date = new Date(Number(value / 10_000n) - 11_644_473_600_000)
  return Number.isNaN(date.getTime()) ? undefined : date
}

const summaryStream = "\u0005SummaryInformation"
const createdProperty = 0x0c
const fileTimeType = 0x40

/** Returns when an older Office document was created, from its summary (MS-OLEPS 2.21, 3.1). */
export function readSummaryDate(summary: Buffer | undefined): Date | undefined {
  if (!summary || summary.length < 48) return undefined
  const section = summary.readUInt32LE(44)
  const entries = section + 8
  if (entries > summary.length) return undefined
  const count = Math.min(summary.readUInt32LE(section + 4), 100)
  for (let at = entries; at < entries + count * 8 && at + 8 <= summary.length; at += 8) {
    if (summary.readUInt32LE(at) !== createdProperty) continue
    const value = section + summary.readUInt32LE(at + 4)
    if (value + 12 > summary.length || summary.readUInt32LE(value) !== fileTimeType) return undefined
    return parseFileTime(summary.readBigUInt64LE(value + 4))
  }
  return undefined
}

/** Returns when an older Office document, in a compound file, was created. */
export const getSummaryDate = (archive: { read(path: string): Buffer | undefined }): Date | undefined =>
  readSummaryDate(archive.read(summaryStream))

const tiffHeader = /^(?:II\*\0|MM\0\*)/
/** Markers that precede the data in a JPEG, a PNG and a WebP file, and the number of bytes between. */
const exifMarkers: readonly [marker: string, gap: number][] = [
  ["Exif\0\0", 0],
  ["eXIf", 0],
  ["EXIF", 4],
]
const exifDirectory = 0x8769
const takenTags = [0x9003, 0x9004]
const offsetTags = [0x9011, 0x9012]
const changedTag = 0x0132
const maxExifEntries = 1_000
const maxExifText = 40

/** Returns when an image was taken, or else when it was last changed, as its Exif data says. */
export function readExifDate(image: Buffer): Date | undefined {
  const tiff = findTiff(image)
  if (!tiff) return undefined
  const main = readDirectory(tiff, tiff.long(4))
  const pointer = main.get(exifDirectory)
  const inner = pointer === undefined ? undefined : readDirectory(tiff, tiff.long(pointer.at))
  for (const [index, tag] of takenTags.entries()) {
    const offset = readExifText(tiff, inner?.get(offsetTags[index] ?? 0)) ?? ""
    const date = parseDocumentDate(`${readExifText(tiff, inner?.get(tag)) ?? ""}${offset}`)
    if (date) return date
  }
  return parseDocumentDate(readExifText(tiff, main.get(changedTag)))
}

/** The bytes from a TIFF header on. Numbers outside of them are 0. */
interface TiffBytes {
  bytes: Buffer
  short(at: number): number
  long(at: number): number
}

function findTiff(image: Buffer): TiffBytes | undefined {
  const starts = [
    0,
    ...exifMarkers.flatMap(([marker, gap]) => {
      const at = image.indexOf(marker, 0, "latin1")
      return at < 0 ? [] : [at + marker.length + gap]
    }),
  ]
  const start = starts.find((at) => tiffHeader.test(image.toString("latin1", at, at + 4)))
  if (start === undefined) return undefined
  const bytes = image.subarray(start)
  const isLittle = bytes[0] === 0x49
  return {
    bytes,
    short: (at) => (at + 2 > bytes.length ? 0 : isLittle ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at)),
    long: (at) => (at + 4 > bytes.length ? 0 : isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at)),
  }
}

interface ExifEntry {
  /** Where its value starts, or the offset of the value if it has more than four bytes. */
  at: number
  length: number
}

function readDirectory(tiff: TiffBytes, start: number): Map<number, ExifEntry> {
  const count = Math.min(tiff.short(start), maxExifEntries)
  return new Map(
    Array.from({ length: count }, (_, index) => {
      const at = start + 2 + index * 12
      return [tiff.short(at), { at: at + 8, length: tiff.long(at + 4) }]
    }),
  )
}

function readExifText({ bytes, long }: TiffBytes, entry: ExifEntry | undefined): string | undefined {
  if (!entry) return undefined
  const start = entry.length > 4 ? long(entry.at) : entry.at
  return bytes.toString("latin1", start, start + Math.min(entry.length, maxExifText)).replace(/\0.*/s, "")
}
