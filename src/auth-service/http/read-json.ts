import { isAscii, isUtf8 } from "node:buffer"
import type { Readable } from "node:stream"
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib"
import type { Request, Response } from "express"
import { ServiceError } from "../../shared/contract/service-errors.ts"

const hexDigits = Buffer.from("0123456789abcdef")
const [backslash, u] = [0x5c, 0x75]

/**
 * Converts JSON in valid UTF-8 to ASCII, with other characters as `\\uXXXX` escapes. JavaScript uses two bytes per character for text with
 * a single emoji, but one for ASCII, which saves 20 MB for the largest ticket.
 */
function escapeToAscii(utf8: Uint8Array): ArrayBuffer {
  const size = asciiLength(utf8)
  const memory = new ArrayBuffer(size, { maxByteLength: size })
  const ascii = new Uint8Array(memory)
  let length = 0
  const escape = (unit: number) => {
    ascii[length++] = backslash
    ascii[length++] = u
    for (let shift = 12; shift >= 0; shift -= 4) ascii[length++] = hexDigits[(unit >> shift) & 0xf] ?? 0
  }
  const tail = (index: number) => (utf8[index] ?? 0) & 0x3f
  for (let index = 0; index < utf8.length; index++) {
    const byte = utf8[index] ?? 0
    if (byte < 0x80) ascii[length++] = byte
    else if (byte < 0xe0) escape(((byte & 0x1f) << 6) | tail(++index))
    else if (byte < 0xf0) escape(((byte & 0x0f) << 12) | (tail(++index) << 6) | tail(++index))
    else {
      const high = ((byte & 0x07) << 18) | (tail(++index) << 12)
      const point = (high | (tail(++index) << 6) | tail(++index)) - 0x10000
      escape(0xd800 | (point >> 10))
      escape(0xdc00 | (point & 0x3ff))
    }
  }
  return memory
}

/** A character of two or three bytes becomes one escape; one of four bytes becomes two. */
function asciiLength(utf8: Uint8Array): number {
  let length = 0
  for (let index = 0; index < utf8.length; index++) {
    const byte = utf8[index] ?? 0
    length += byte < 0x80 ? 1 : byte < 0xc0 ? 0 : byte < 0xf0 ? 6 : 12
  }
  return length
}

/** Reads a JSON body of at most `longest` bytes. */
export type ReadJson = (request: Request, response: Response, maxBytes: number) => Promise<unknown>

/** Maximum memory for the bodies of all requests together; further requests are asked to retry. */
const defaultBodiesBytes = 256 * 1024 * 1024

const decompressors = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
} as const

/**
 * Creates a reader of JSON bodies. The limit applies to decompressed bytes and is enforced while reading, with or without `Content-Length`.
 * @throws ServiceError `INVALID_JSON`, `UNSUPPORTED_MEDIA_TYPE`, `PAYLOAD_TOO_LARGE`, or `RATE_LIMITED` if other bodies use all the memory
 * reserved for them.
 */
export function createReadJson(maxTotalBytes: number = defaultBodiesBytes): ReadJson {
  let held = 0

  function hold(response: Response): (bytes: number) => void {
    let mine = 0
    response.once("close", () => (held -= mine))
    return (bytes) => {
      if (held + bytes > maxTotalBytes) {
        throw new ServiceError(
          "RATE_LIMITED",
          "The service is receiving too much data at the moment. Try again soon.",
          {
            retryAfterSeconds: 5,
          },
        )
      }
      held += bytes
      mine += bytes
    }
  }

  return async (request, response, maxBytes) => {
    // No memory is reserved for a client that has gone, because its response has closed and won't close again.
    if (request.socket.destroyed) throw new ServiceError("INVALID_JSON", "The connection ended early.")
    checkMediaType(request)
    const declared = Number(request.headers["content-length"] ?? 0)
    if (declared > maxBytes) throw tooLarge(maxBytes)
    if (request.headers.expect?.toLowerCase() === "100-continue") response.writeContinue()
    return parse(decode(await readBytes(openBody(request), maxBytes, hold(response))))
  }
}

function checkMediaType(request: Request): void {
  const { headers } = request
  const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0
  if (!hasBody) throw new ServiceError("INVALID_JSON", "The body is missing. Send a JSON object.")
  const [type = "", ...parameters] = (headers["content-type"] ?? "").toLowerCase().split(";")
  const charset = parameters.find((parameter) => parameter.trim().startsWith("charset="))
  const isUtf8Charset = charset === undefined || /^\s*charset="?utf-?8"?\s*$/.test(charset)
  if (type.trim() === "application/json" && isUtf8Charset) return
  throw new ServiceError(
    "UNSUPPORTED_MEDIA_TYPE",
    "Send the body as UTF-8 JSON with Content-Type: application/json.",
  )
}

/** The body's bytes, decompressed. Leaving its loop early keeps the connection open for the response. */
function openBody(request: Request): AsyncIterable<Buffer> {
  const encoding = (request.headers["content-encoding"] ?? "identity").trim().toLowerCase()
  if (encoding === "identity") return request.iterator({ destroyOnReturn: false })
  if (!Object.hasOwn(decompressors, encoding)) {
    throw new ServiceError(
      "UNSUPPORTED_MEDIA_TYPE",
      `Content-Encoding "${encoding.slice(0, 40)}" isn't supported. Use gzip, deflate, br or none.`,
    )
  }
  const decompressor: Readable = request.pipe(decompressors[encoding as keyof typeof decompressors]())
  request.once("error", (error) => decompressor.destroy(error))
  return decompressor
}

/** Uses one buffer that grows in place, so that a body is never in memory twice. */
async function readBytes(
  body: AsyncIterable<Buffer>,
  maxBytes: number,
  hold: (bytes: number) => void,
): Promise<ArrayBuffer> {
  const memory = new ArrayBuffer(0, { maxByteLength: maxBytes })
  try {
    for await (const chunk of body) {
      const { byteLength } = memory
      if (byteLength + chunk.length > maxBytes) throw tooLarge(maxBytes)
      hold(chunk.length)
      memory.resize(byteLength + chunk.length)
      new Uint8Array(memory).set(chunk, byteLength)
    }
    return memory
  } catch (cause) {
    memory.resize(0)
    if (cause instanceof ServiceError) throw cause
    throw new ServiceError("INVALID_JSON", "The body ended early or can't be decompressed.", { cause })
  }
}

/** Decodes a body's text, and frees its bytes on the way. */
function decode(utf8: ArrayBuffer): string {
  const bytes = new Uint8Array(utf8)
  let ascii = utf8
  if (!isAscii(bytes)) {
    if (!isUtf8(bytes)) throw new ServiceError("INVALID_JSON", "The body isn't valid UTF-8.")
    ascii = escapeToAscii(hasByteOrderMark(bytes) ? bytes.subarray(3) : bytes)
    utf8.resize(0)
  }
  const text = Buffer.from(ascii).toString("latin1")
  ascii.resize(0)
  return text
}

/** Some clients put one before UTF-8; JSON parsers may ignore it (RFC 8259 8.1). */
const hasByteOrderMark = (bytes: Uint8Array) => bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ServiceError("INVALID_JSON", "The body isn't valid JSON.", { cause })
  }
}

const tooLarge = (maxBytes: number) =>
  new ServiceError("PAYLOAD_TOO_LARGE", `The body is larger than ${maxBytes.toLocaleString("en")} bytes.`)
