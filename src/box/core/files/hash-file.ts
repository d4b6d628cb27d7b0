import { createHash } from "node:crypto"
import type { FileHandle } from "node:fs/promises"

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
