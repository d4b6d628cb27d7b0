import { basename, dirname } from "node:path"
import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import { freeBytes } from "../../../core/disk/disk-space.ts"
import { makeDirectoryInside } from "../../../core/files/path-jail.ts"

/** Disk space kept free of models, so that the server can always store its data. */
export const diskReserveBytes = 256 * 2 ** 20

/** Throws `disk_full` unless the bytes fit on the disk and leave some room. */
export async function requireRoom(directory: string, bytes: number): Promise<void> {
  await makeDirectoryInside(dirname(directory), [basename(directory)])
  const [needed, free] = [bytes + diskReserveBytes, await freeBytes(directory)]
  if (needed <= free) return
  throw new AppError(
    "disk_full",
    sentence("models.download_needs_room", { size: gigabytes(needed), free: gigabytes(free) }),
  )
}

const gigabytes = (bytes: number) => `${(bytes / 2 ** 30).toFixed(1)} GB`
