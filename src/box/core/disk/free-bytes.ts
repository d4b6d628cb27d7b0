import { statfs } from "node:fs/promises"

/** Free and total space of a disk, in bytes. */
export interface DiskSpace {
  free: number
  total: number
}

/** The disk that a directory is on. */
export async function diskSpace(directory: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(directory)
  return { free: bavail * bsize, total: blocks * bsize }
}

/** What may still be written on the disk that a directory is on, in bytes. */
export async function freeBytes(directory: string): Promise<number> {
  return (await diskSpace(directory)).free
}
