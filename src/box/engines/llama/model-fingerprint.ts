import { createHash } from "node:crypto"
import { open } from "node:fs/promises"

/** Covers a model's name and settings. Most of the rest is its vocabulary, which is the same for a whole model family. */
const headBytes = 64 * 1024

/** Distinguishes model files of the same name without reading them completely. */
export async function fingerprintModel(path: string): Promise<string> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(headBytes), position: 0 })
    return createHash("sha256")
      .update(`${size}\n`)
      .update(buffer.subarray(0, bytesRead))
      .digest("hex")
      .slice(0, 16)
  } finally {
    await file.close()
  }
}
