import { createHash } from "node:crypto"
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  type Stats,
} from "node:fs"
import { open, type FileHandle } from "node:fs/promises"

const maxSmallFileBytes = 4 * 2 ** 20
/** Opening a named pipe would otherwise block until someone writes to it. */
const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)
const isSmallFile = (found: Stats, largest = maxSmallFileBytes) => found.isFile() && found.size <= largest

/**
 * Returns the text of a file of at most 4 MB, or `largest` bytes. Returns an empty text for a larger file, and for anything that isn't a
 * file, such as a named pipe. Throws the errors of `open`.
 */
export async function readSmallFile(path: string, largest?: number): Promise<string> {
  await using file = await open(path, flags)
  return isSmallFile(await file.stat(), largest) ? await file.readFile("utf8") : ""
}

/** Like `readSmallFile`, for files on the data directory's disk that are read before anything else runs. */
export function readSmallFileNow(path: string): string {
  const file = openSync(path, flags)
  try {
    return isSmallFile(fstatSync(file)) ? readFileSync(file, "utf8") : ""
  } finally {
    closeSync(file)
  }
}

/**
 * Replaces the file atomically: concurrent readers, and readers after a crash, get either the previous or the new text. With `flush`, it is
 * on the disk when the function returns.
 */
export function replaceSmallFileNow(
  path: string,
  text: string,
  options: { mode?: number; flush?: boolean } = {},
): void {
  const written = freeNewName(path)
  writeFileSync(written, text, { ...options, flag: "wx" })
  renameSync(written, path)
}

/**
 * Returns the name under which a file is rewritten before it replaces `path`; removes an existing file with that name. Open it with `wx`.
 */
export function freeNewName(path: string): string {
  const name = `${path}.new`
  rmSync(name, { recursive: true, force: true })
  return name
}

const readAtOnce = 256 * 1024

/** Returns a hash of the file's bytes. Reads the whole file in chunks; throws when aborted. */
export async function hashFile(handle: FileHandle, signal?: AbortSignal): Promise<string> {
  const hash = createHash("sha256")
  const { size } = await handle.stat()
  const buffer = Buffer.allocUnsafe(Math.min(size + 1, readAtOnce))
  for (let position = 0; ;) {
    signal?.throwIfAborted()
    const { bytesRead } = await handle.read(buffer, 0, buffer.byteLength, position)
    if (bytesRead === 0) return hash.digest("base64")
    hash.update(buffer.subarray(0, bytesRead))
    position += bytesRead
  }
}
