import { readSync } from "node:fs"
import type { FileHandle } from "node:fs/promises"

/** A document's bytes, wherever they are stored. Parsers get no path to a file. */
export interface DocumentFile {
  /** Size in bytes when it was opened. */
  readonly size: number
  /** Fills `target` with the bytes from `position` on, and returns their number; fewer at the end. */
  read(target: Uint8Array, position: number): Promise<number>
  readSync(target: Uint8Array, position: number): number
}

const chunkBytes = 64 * 1024

/** Wraps an open file, which its owner closes. */
export async function toDocumentFile(handle: FileHandle): Promise<DocumentFile> {
  const { size } = await handle.stat()
  return {
    size,
    async read(target, position) {
      let done = 0
      while (done < target.length) {
        const { bytesRead } = await handle.read(target, done, target.length - done, position + done)
        if (bytesRead === 0) break
        done += bytesRead
      }
      return done
    },
    readSync(target, position) {
      let done = 0
      while (done < target.length) {
        const bytesRead = readSync(handle.fd, target, done, target.length - done, position + done)
        if (bytesRead === 0) break
        done += bytesRead
      }
      return done
    },
  }
}

/** Wraps a document in memory, such as an attachment. */
export function createMemoryFile(bytes: Uint8Array): DocumentFile {
  function readSync(target: Uint8Array, position: number): number {
    const found = bytes.subarray(position, position + target.length)
    target.set(found)
    return found.length
  }
  return {
    size: bytes.length,
    read: (target, position) => Promise.resolve(readSync(target, position)),
    readSync,
  }
}

/** Yields all bytes, or those from `start` to before `end`, in pieces of at most `size` bytes. */
export async function* readChunks(
  file: DocumentFile,
  { start = 0, end = Infinity, size = chunkBytes } = {},
): AsyncGenerator<Buffer, void, undefined> {
  for (let position = start; position < end;) {
    const chunk = Buffer.allocUnsafe(Math.min(size, end - position))
    const length = await file.read(chunk, position)
    if (length > 0) yield chunk.subarray(0, length)
    if (length < chunk.length) return
    position += length
  }
}

/** Returns the whole document, for libraries that need it at once. */
export async function readWhole(file: DocumentFile): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(file.size)
  return bytes.subarray(0, await file.read(bytes, 0))
}
