import type { FileHandle } from "node:fs/promises"
import { create as contentDisposition } from "content-disposition"
import type { Request, Response } from "express"
import { combineRanges, parse } from "range-parser"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"

export interface SentFile {
  handle: FileHandle
  name: string
  mimeType: string
}

/** Interval between checks of a download, in ms. */
const defaultCheckIntervalMs = 30_000
/**
 * Maximum number of pauses, ten minutes in total. A client that reads 8 kB/s takes about that long for the data that the system buffers,
 * and the system accepts about a megabyte at a time.
 */
const usualMostPauses = 20
/** Maximum data that the system buffers for a client that reads nothing (Linux: `tcp_wmem`). */
const maxSocketBufferBytes = 4 * 2 ** 20
const pieceBytes = 32 * 2 ** 10
/** Bits of the code that `range-parser` returns. */
const malformed = 1
const unsatisfiable = 2

/**
 * Sends a file as a download. Supports one byte range (RFC 9110 14), `If-None-Match`, `If-Range` and file names by RFC 5987. Closes the
 * handle. Throws `range_not_satisfiable`.
 */
export async function sendFile(
  request: Request,
  response: Response,
  file: SentFile,
  pollIntervalMs: number = defaultCheckIntervalMs,
  maxPauses: number = usualMostPauses,
): Promise<void> {
  await using handle = file.handle
  const found = await handle.stat({ bigint: true })
  const size = Number(found.size)
  const etag = `"${found.ino.toString(36)}-${found.size.toString(36)}-${found.mtimeNs.toString(36)}"`
  response.setHeader("etag", etag)
  response.setHeader("last-modified", found.mtime.toUTCString())
  response.setHeader("accept-ranges", "bytes")
  response.setHeader("cache-control", "private, no-cache")
  if (isNotModified(request, etag)) {
    response.status(304).end()
    return
  }
  const range = parseRange(request, size, etag)
  if (range === "outside") {
    response.setHeader("content-range", `bytes */${size}`)
    throw new AppError("range_not_satisfiable", sentence("http.file_ends", { size }))
  }
  response.setHeader("content-type", file.mimeType)
  response.setHeader("content-disposition", contentDisposition(file.name))
  response.setHeader("x-content-type-options", "nosniff")
  const { start, end } = range ?? { start: 0, end: size - 1 }
  if (range) {
    response.status(206)
    response.setHeader("content-range", `bytes ${start}-${end}/${size}`)
  } else {
    response.status(200)
  }
  response.setHeader("content-length", end - start + 1)
  if (request.method === "HEAD" || end < start) {
    response.end()
    return
  }
  await streamRange(handle, response, { start, end }, { pollIntervalMs, max: maxPauses })
}

interface PauseLimits {
  pollIntervalMs: number
  max: number
}

/** Uses one buffer, so that a client that doesn't read occupies no more memory and nothing is left to collect. */
async function streamRange(
  handle: FileHandle,
  response: Response,
  { start, end }: { start: number; end: number },
  pauses: PauseLimits,
): Promise<void> {
  const buffer = Buffer.allocUnsafeSlow(Math.min(pieceBytes, end - start + 1))
  let position = start
  const stopWatching = limitPauses(response, () => position, pauses)
  try {
    while (position <= end && !response.destroyed) {
      const length = Math.min(buffer.length, end - position + 1)
      const { bytesRead } = await handle.read(buffer, 0, length, position)
      if (bytesRead === 0) throw new AppError("conflict", sentence("files.changed_since"))
      await waitUntilSent(response, buffer.subarray(0, bytesRead))
      position += bytesRead
    }
  } finally {
    stopWatching()
  }
  response.end()
}

/**
 * Disconnects a client that pauses at too many checks before it has taken as many bytes as the system may buffer for a client that reads
 * nothing. The system buffers some at once, and more when it has spare memory.
 */
function limitPauses(
  response: Response,
  position: () => number,
  { pollIntervalMs, max }: PauseLimits,
): () => void {
  let pauses = 0
  let [counted, latest] = [position(), -1]
  const timer = setInterval(() => {
    const now = position()
    if (now - counted >= maxSocketBufferBytes) [counted, pauses] = [now, 0]
    else if (now === latest) pauses++
    latest = now
    if (pauses >= max) response.socket?.resetAndDestroy()
  }, pollIntervalMs)
  return () => clearInterval(timer)
}

/** Resolves when the connection has accepted the bytes or is closed. A client may disconnect midway. */
async function waitUntilSent(response: Response, bytes: Buffer): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = () => {
      response.off("close", done)
      resolve()
    }
    response.once("close", done)
    response.write(bytes, done)
  })
}

/** Whether the client already has this content (RFC 9110 13.1.2). */
function isNotModified(request: Request, etag: string): boolean {
  const known = request.headers["if-none-match"]?.split(",").map((tag) => tag.trim().replace(/^W\//, ""))
  return known?.some((tag) => tag === etag || tag === "*") ?? false
}

/** Returns the requested range, or null for the whole file. Several ranges also return the whole file, as RFC 9110 allows. */
function parseRange(
  request: Request,
  size: number,
  etag: string,
): { start: number; end: number } | "outside" | null {
  const header = request.headers.range
  const condition = request.headers["if-range"]
  if (header === undefined || (condition !== undefined && condition !== etag)) return null
  const { code, type, ranges } = parse(size, header)
  if (type !== "bytes" || code & malformed) return null
  if (code & unsatisfiable && ranges.length === 0) return "outside"
  const combined = combineRanges(ranges)
  return combined.length === 1 ? (combined[0] ?? null) : null
}
