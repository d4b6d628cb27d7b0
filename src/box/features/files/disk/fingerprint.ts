import { constants } from "node:fs"
import { lstat, open } from "node:fs/promises"
import { describe } from "../../../engines/folder-watcher/scan.ts"

/** Returns a value that differs for any other file at this path, and changes when the file is written to. */
export async function fingerprint(path: string): Promise<string> {
  const { identity, size, modifiedMs } = describe("", await lstat(path, { bigint: true }))
  return `${identity} ${size} ${modifiedMs}`
}

/**
 * On overlayfs (live systems, containers), a file of a lower layer is copied when it is first linked, renamed or opened for writing, which
 * changes its fingerprint. Triggers that copy before the file is compared.
 */
export async function copyUp(path: string): Promise<void> {
  if (process.platform !== "linux") return
  await open(path, constants.O_RDWR | constants.O_NOFOLLOW).then(
    (handle) => handle.close(),
    () => undefined, // the change itself reports the error
  )
}
