import { findFormat, findFormatByFileName } from "./registry.ts"

/** Version of OCR: raise it when it finds other text in the same pictures. */
const ocrVersion = 1

/** The name under which OCR is recorded next to the formats. */
const ocr = "ocr"

/** The name under which it is recorded that hidden parts were read and marked. */
const marked = "hidden"

/** Version of how pictures in documents are found: raise it when other pictures are found. */
const picturesVersion = 1

/** The name under which it is recorded that the pictures in a document were wanted. */
const pictures = "pictures"

/** Version of how a model describes pictures: raise it when all of them are to be described again. */
const descriptionsVersion = 1

/** The name under which it is recorded that the pictures were to be described. Version 0: not all could be. */
const descriptions = "descriptions"

/** The parts of documents that a folder wants in addition to their visible text. */
export interface ReadingOptions {
  /** Whether hidden parts are read and marked. */
  marksHidden: boolean
  /** Whether the text in pictures of documents is read. */
  wantsPictures: boolean
  /** Whether a model describes the pictures as well. */
  wantsDescriptions: boolean
}

/** The readers that read a document and those inside it. */
export interface UsedReaders {
  add(format: string): void
  /** Returns each reader once with its version, sorted, such as `eml.1 pdf.3`. Empty: no format was recognised. */
  describe(used: Omit<ReadingOptions, "wantsDescriptions"> & { hasScans: boolean }): string
}

export function collectReaders(): UsedReaders {
  const formats = new Set<string>()
  return {
    add: (format) => void formats.add(format),
    describe({ hasScans, marksHidden, wantsPictures }) {
      const readers = [...formats].map((name) => `${name}.${getVersion(name)}`)
      if (hasScans) readers.push(`${ocr}.${ocrVersion}`)
      if (marksHidden && [...formats].some(mayHide)) readers.push(`${marked}.1`)
      if (wantsPictures) readers.push(`${pictures}.${picturesVersion}`)
      return readers.toSorted().join(" ")
    },
  }
}

/** Returns the readers that the name of a file suggests. */
export function guessReaders(
  name: string,
  { marksHidden, wantsPictures }: Pick<ReadingOptions, "marksHidden" | "wantsPictures">,
): string {
  const readers = collectReaders()
  const format = findFormatByFileName(name)
  if (format) readers.add(format.name)
  return readers.describe({ hasScans: false, marksHidden, wantsPictures })
}

/** The options of a folder, and whether a model can describe its pictures now. */
export interface CurrentReading extends ReadingOptions {
  canDescribe: boolean
}

/**
 * Whether a file is to be read again, because one of its readers has a newer version now, because its folder wants hidden parts to be read
 * differently, because it was read without the pictures that it may contain, or because it has or lacks descriptions against the folder's
 * setting.
 *
 * @param readers as `UsedReaders` describes them; null: an earlier version of the program read it
 */
export function isOutdated(
  readers: string | null,
  { marksHidden, wantsPictures, wantsDescriptions, canDescribe }: CurrentReading,
): boolean {
  if (readers === null) return true
  const versions = parse(readers)
  if ([...versions].some(([name, version]) => getVersion(name) > version)) return true
  if (versions.has(marked) !== (marksHidden && [...versions.keys()].some(mayHide))) return true
  if (!wantsPictures) return false
  if (!wantsDescriptions) return lacksPictures(readers) || versions.has(descriptions)
  return lacksPictures(readers) || (canDescribe && lacksDescriptions(versions))
}

/** Whether pictures or scans were found, and not all pictures were described. */
const lacksDescriptions = (versions: ReadonlyMap<string, number>): boolean =>
  versions.has(pictures) && versions.has(ocr) && (versions.get(descriptions) ?? 0) < descriptionsVersion

/** Whether these readers read a document without the pictures that it may contain. */
export const lacksPictures = (readers: string | null): boolean =>
  mayHavePictures(readers) && !parse(readers ?? "").has(pictures)

/** Whether these readers read a document that may contain pictures. */
export const mayHavePictures = (readers: string | null): boolean =>
  [...parse(readers ?? "").keys()].some((format) => findFormat(format)?.pictures === true)

/** Whether the text of scanned pages that these readers found is still what OCR would find. */
export function hasCurrentOcr(readers: string | null): boolean {
  const version = readers === null ? 1 : (parse(readers).get(ocr) ?? 0)
  return version >= ocrVersion
}

/** Whether readers before, and those now, find the same pictures in a document. */
export function findSamePictures(before: string | null, now: string): boolean {
  const [earlier, current] = [parse(before ?? ""), parse(now)]
  return earlier.get(pictures) === current.get(pictures) && earlier.has(marked) === current.has(marked)
}

/** Returns the readers of a document whose pictures aren't read. */
export const withoutPictures = (readers: string): string => without(readers, pictures)

/** Returns the readers of a document whose pictures are described. `isComplete`: whether all of them are. */
export const withDescriptions = (readers: string, isComplete: boolean): string =>
  [...without(readers, descriptions).split(" "), `${descriptions}.${isComplete ? descriptionsVersion : 0}`]
    .filter((reader) => reader !== "")
    .toSorted()
    .join(" ")

const without = (readers: string, name: string): string =>
  readers
    .split(" ")
    .filter((reader) => !reader.startsWith(`${name}.`))
    .join(" ")

function parse(readers: string): Map<string, number> {
  const words = readers.split(" ").filter((word) => word !== "")
  return new Map(
    words.map((word) => {
      const dot = word.lastIndexOf(".")
      return [word.slice(0, dot), Number(word.slice(dot + 1))]
    }),
  )
}

const mayHide = (format: string): boolean => findFormat(format)?.hidesParts === true

function getVersion(name: string): number {
  if (name === ocr) return ocrVersion
  if (name === descriptions) return 0 // `lacksDescriptions` compares it
  return name === pictures ? picturesVersion : (findFormat(name)?.version ?? 1)
}
