import { statfs } from "node:fs/promises"

/** What may still be written on the disk that a directory is on, in bytes. */
export async function freeBytes(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory)
  return bavail * bsize
}
