import { isUtf8 } from "node:buffer"
import { Readable } from "node:stream"
import { callbackify } from "node:util"
import { fromRandomAccessReaderPromise, getFileNameLowLevel, RandomAccessReader } from "yauzl"
import type { Entry, ZipFile } from "yauzl"
import { readChunks, type DocumentFile } from "../document/document-file.ts"
import { failure, ParseFailure } from "../parser.ts"

const maxEntries = 20_000
/** Maximum decompressed bytes read from one archive, for all entries together. The sizes that the archive declares aren't trusted. */
const maxInflatedBytes = 2 ** 30
const endRecord = Buffer.from([0x50, 0x4b, 5, 6])
const endRecordBytes = 22
/** The maximum length of an end record's comment, and as many bytes again that don't belong to the archive. */
const tailBytes = 2 * 65_536

/** A zip file whose entries are read one after another, within a common size limit. */
export class ZipArchive {
  readonly #zip: ZipFile
  readonly #entries: ReadonlyMap<string, Entry>
  /** All entries in the order of the archive's directory, including those with the same name. */
  readonly list: readonly Entry[]
  /** Number of entries that the archive declares. */
  readonly size: number
  #inflated = 0

  private constructor(zip: ZipFile, list: readonly Entry[]) {
    this.#zip = zip
    this.list = list
    this.size = zip.entryCount
    this.#entries = new Map(list.map((entry) => [getKey(entry.fileName), entry]))
  }

  /**
   * Throws `ParseFailure` when the file isn't a complete zip file.
   *
   * @param tolerant whether to open archives with impossible names, wrong sizes of single entries, or too many entries, of which the first
   *   are listed. Names and sizes have to be checked then.
   */
  static async open(file: DocumentFile, { tolerant = false } = {}): Promise<ZipArchive> {
    try {
      const zip = await fromRandomAccessReaderPromise(new ArchiveReader(file), await findEnd(file), {
        autoClose: false,
        strictFileNames: false,
        decodeStrings: !tolerant,
        validateEntrySizes: !tolerant,
      })
      const list: Entry[] = []
      for await (const entry of zip.eachEntry()) {
        if (list.length >= maxEntries) {
          if (tolerant) break
          throw failure("too_many_parts", { count: maxEntries })
        }
        if (tolerant) entry.fileName = decodeName(entry)
        list.push(entry)
      }
      return new ZipArchive(zip, list)
    } catch (error) {
      throw damaged(error)
    }
  }

  has(name: string): boolean {
    return this.#entries.has(getKey(name))
  }

  /**
   * Yields the decompressed bytes of an entry; none when there is no such entry.
   *
   * @param isPreview whether the entry will be read again, so that its bytes are counted then
   */
  async *read(name: string, isPreview = false): AsyncGenerator<Buffer, void, undefined> {
    const entry = this.#entries.get(getKey(name))
    if (entry) yield* this.readEntry(entry, isPreview)
  }

  /** Yields the decompressed bytes of an entry in the list. */
  async *readEntry(entry: Entry, isPreview = false): AsyncGenerator<Buffer, void, undefined> {
    if (entry.isEncrypted()) throw failure("encrypted")
    let inflated = this.#inflated
    try {
      for await (const chunk of await this.#zip.openReadStreamPromise(entry)) {
        const bytes = chunk as Buffer
        inflated += bytes.length
        if (!isPreview) this.#inflated += bytes.length
        if (Math.max(inflated, this.#inflated) > maxInflatedBytes) {
          throw failure("unpacks_too_large")
        }
        yield bytes
      }
    } catch (error) {
      throw damaged(error)
    }
  }
}

/**
 * Returns the bytes of a picture, without counting them for the limit of the archive, because pictures have separate limits. Throws
 * `ParseFailure` if there are too many or if they are damaged.
 */
export async function loadPicture(archive: ZipArchive, name: string, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of archive.read(name, true)) {
    length += chunk.length
    if (length > maxBytes) throw failure("picture_too_large")
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const utf8Flag = 0x800

/** Many programs write UTF-8 without declaring it. */
function decodeName({ fileNameRaw, generalPurposeBitFlag, extraFields }: Entry): string {
  const flag = isUtf8(fileNameRaw) ? generalPurposeBitFlag | utf8Flag : generalPurposeBitFlag
  return getFileNameLowLevel(flag, fileNameRaw, extraFields, false)
}

/** Names are compared as on Windows, where some of the archives are created. */
function getKey(name: string): string {
  return name.replaceAll("\\", "/").replace(/^\/+/, "").toLowerCase()
}

function damaged(error: unknown): ParseFailure {
  if (error instanceof ParseFailure) return error
  return failure("damaged_zip")
}

/** Returns where the archive ends. Files may have junk after it, or a comment with a wrong length. */
async function findEnd(file: DocumentFile): Promise<number> {
  const start = Math.max(0, file.size - tailBytes)
  const tail = Buffer.alloc(file.size - start)
  const bytesRead = await file.read(tail, start)
  const at = tail.subarray(0, bytesRead).lastIndexOf(endRecord)
  if (at < 0 || at + endRecordBytes > bytesRead) {
    throw failure("incomplete")
  }
  return start + at + endRecordBytes
}

/** Reads up to the end of the end record, which it returns without a comment. */
class ArchiveReader extends RandomAccessReader {
  readonly #file: DocumentFile

  constructor(file: DocumentFile) {
    super()
    this.#file = file
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(readChunks(this.#file, { start, end }), { objectMode: false })
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null, bytesRead?: number) => void,
  ): void {
    callbackify(() => this.#read(buffer.subarray(offset, offset + length), position))(callback)
  }

  async #read(target: Buffer, position: number): Promise<number> {
    const bytesRead = await this.#file.read(target, position)
    const at = target.lastIndexOf(endRecord, bytesRead - endRecordBytes)
    if (at >= 0 && at + endRecordBytes === target.length) target.writeUInt16LE(0, at + 20)
    return bytesRead
  }
}
