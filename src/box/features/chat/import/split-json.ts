/** One chat of an export, or the reason why it can't be read, with the start of its text. */
export type JsonElement = { text: string } | { problem: "too_long" | "too_deep" | "cut_off"; start: string }

export const maxElementMb = 64
const maxElementBytes = maxElementMb * 2 ** 20
const deepest = 200
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
        if (depth > deepest) problem ??= "too_deep"
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
