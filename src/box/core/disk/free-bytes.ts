import { statfs } from "node:fs/promises"

/** Free and total space of a disk, in bytes. */
export interface DiskSpace {
  free: number
  total: number
}

/** Returns the space of the disk that contains a directory. */
export async function diskSpace(directory: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(directory)
  return { free: bavail * bsize, total: blocks * bsize }
}

/** Returns the free space of the disk that contains a directory, in bytes. */
export async function freeBytes(directory: string): Promise<number> {
  return (await diskSpace(directory)).free
}
