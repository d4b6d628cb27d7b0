import { open } from "node:fs/promises"
import { openPromise, type Entry } from "yauzl"

/** One chat of an export, or the reason why it can't be read, with the start of its text. */
export type JsonElement = { text: string } | { problem: "too_long" | "too_deep" | "cut_off"; start: string }

export const maxElementMb = 64
const maxElementBytes = maxElementMb * 2 ** 20
const maxDepth = 200
/** Maximum number of bytes kept of an element that can't be read. */
const maxStart = 64 * 1024
/** Maximum number of values: each uses a hundred times its size when parsed. */
const maxValues = 2_000_000
const comma = 0x2c
const byteOrderMark = Buffer.from("\uFEFF")

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket] = Buffer.from('"\\{}[]')

/** The data contains no JSON array or object. */
export class NotJson extends Error {
  override readonly name = "NotJson"
}

/**
 * Returns the text of each object in a JSON array, or of a single object, without loading all of it into memory. Throws `NotJson` if the
 * data is neither.
 *
 * @param pause called while no part of an object is in memory, so that other imports can continue
 */
export async function* splitJson(
  chunks: AsyncIterable<Buffer>,
  pause: () => Promise<void> = () => Promise.resolve(),
): AsyncGenerator<JsonElement> {
  let outer = -1 // nesting depth outside elements: 1 in an array, 0 for a single object
  let depth = 0
  let isInString = false
  let escaped = false
  let pieces: Buffer[] = []
  let size = 0
  let start = ""
  let values = 0
  let problem: "too_long" | "too_deep" | null = null

  const keep = (piece: Buffer) => {
    size += piece.length
    if (size > maxElementBytes) problem ??= "too_long"
    if (problem === null) pieces.push(Buffer.from(piece))
    else {
      if (start === "") start = getStart([...pieces, piece])
      pieces = []
    }
  }

  for await (const chunk of chunks) {
    if (pieces.length === 0) await pause()
    let from = 0
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]
      if (isInString) {
        if (escaped) escaped = false
        else if (byte === backslash) escaped = true
        else if (byte === quote) isInString = false
        continue
      }
      if ((byte === comma || byte === openBrace || byte === openBracket) && ++values > maxValues)
        problem ??= "too_long"
      if (byte === quote) isInString = true
      else if (byte === openBrace || byte === openBracket) {
        if (outer === -1) outer = byte === openBracket ? 1 : 0
        if (depth === outer) from = at
        depth++
        if (depth > maxDepth) problem ??= "too_deep"
      } else if (byte === closeBrace || byte === closeBracket) {
        depth--
        if (depth === outer && (outer === 0 || depth > 0)) {
          keep(chunk.subarray(from, at + 1))
          const element: JsonElement =
            problem === null ? { text: Buffer.concat(pieces).toString("utf8") } : { problem, start }
          pieces = []
          start = ""
          size = 0
          values = 0
          problem = null
          yield element
          await pause()
        }
        if (depth <= 0) return
      } else if (outer === -1 && byte !== undefined && byte > 0x20 && !byteOrderMark.includes(byte))
        throw new NotJson()
    }
    if (outer !== -1 && depth > outer) keep(chunk.subarray(from))
  }
  if (outer === -1) throw new NotJson()
  yield { problem: "cut_off", start: start || getStart(pieces) }
}

function getStart(pieces: readonly Buffer[]): string {
  const some: Buffer[] = []
  let left = maxStart
  for (const piece of pieces) {
    if (left <= 0) break
    some.push(piece.subarray(0, left))
    left -= piece.length
  }
  return Buffer.concat(some).toString("utf8")
}

const maxEntries = 200_000
/** Maximum unpacked size of one export, in bytes. The sizes stated in the archive aren't trusted. */
const maxUnpackedBytes = 8 * 2 ** 30
/** Chats compress to about a tenth. An archive that unpacks to more than this many times its size contains only repetition. */
const maxRatio = 100
const minUnpackedLimit = 64 * 2 ** 20
/** Maximum number of chats and other elements in one export, because each is examined, however small it is. */
export const maxElements = 200_000
const isOfChats = /(^|\/)(conversations(-\d+)?|chat-export[^/]*)\.json$/i

/** The archive unpacks to more than the limit, or can't be read. */
export class BadArchive extends Error {
  override readonly name = "BadArchive"
}

/** The export contains more chats than the limit. */
export class TooManyChats extends Error {
  override readonly name = "TooManyChats"
}

/**
 * Returns the chats of an export, ZIP or JSON, one after another, until it should end. It can also end in the middle of a chat, which may
 * be as long as the whole export. Throws `BadArchive`, `NotJson` or `TooManyChats`.
 *
 * @param pause called between chats, and within data that isn't a chat, so that other imports can continue
 */
export async function* readExport(
  path: string,
  isEnded: () => boolean,
  pause?: () => Promise<void>,
): AsyncGenerator<JsonElement> {
  let count = 0
  for await (const element of readAll(path, isEnded, pause)) {
    if (isEnded()) return
    if (++count > maxElements) throw new TooManyChats()
    yield element
  }
}

async function* readAll(
  path: string,
  isEnded: () => boolean,
  pause: (() => Promise<void>) | undefined,
): AsyncGenerator<JsonElement> {
  await using file = await open(path)
  const head = Buffer.alloc(4)
  await file.read(head, 0, 4, 0)
  if (head.readUInt32LE() === 0x04034b50) yield* readArchive(path, (await file.stat()).size, isEnded, pause)
  else {
    const stream = file.createReadStream({ start: 0, highWaterMark: 2 ** 18, autoClose: false })
    yield* splitJson(until(isEnded, stream), pause)
  }
}

async function* until(isEnded: () => boolean, chunks: AsyncIterable<unknown>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    if (isEnded()) return
    yield chunk as Buffer
  }
}

async function* readArchive(
  path: string,
  size: number,
  isEnded: () => boolean,
  pause: (() => Promise<void>) | undefined,
): AsyncGenerator<JsonElement> {
  const maxUnpacked = Math.min(maxUnpackedBytes, Math.max(minUnpackedLimit, size * maxRatio))
  const zip = await openPromise(path, { autoClose: false, strictFileNames: false }).catch(bad)
  try {
    const entries: Entry[] = []
    const others: Entry[] = []
    let count = 0
    for await (const entry of zip.eachEntry()) {
      if (isEnded()) return
      if (++count > maxEntries) throw new BadArchive()
      if (isOfChats.test(entry.fileName)) entries.push(entry)
      else if (entry.fileName.endsWith(".json") && others.length < 100) others.push(entry)
    }
    const chosen = entries.length > 0 ? entries : others
    if (chosen.length === 0) throw new BadArchive()
    let unpacked = 0
    for (const entry of chosen) {
      if (isEnded()) return
      const stream = await zip.openReadStreamPromise(entry)
      async function* counted() {
        for await (const bytes of until(isEnded, stream)) {
          unpacked += bytes.length
          if (unpacked > maxUnpacked) throw new BadArchive()
          yield bytes
        }
      }
      yield* splitJson(counted(), pause)
    }
  } catch (error) {
    bad(error)
  } finally {
    zip.close()
  }
}

/** The errors of yauzl and zlib don't help users. */
function bad(error: unknown): never {
  if (error instanceof Error && error.name === "NotJson") throw error
  throw new BadArchive("", { cause: error })
}
