import { constants } from "node:fs"
import { lstat, open } from "node:fs/promises"
import { describe } from "../../../engines/folder-watcher/scan.ts"

/** Another file in its place has another one, and so has this one once it was written to. */
export async function fingerprint(path: string): Promise<string> {
  const { identity, size, modifiedMs } = describe("", await lstat(path, { bigint: true }))
  return `${identity} ${size} ${modifiedMs}`
}

/**
 * On overlayfs (live systems, containers) a file of a lower layer is copied when it is first linked, renamed or opened for
 * writing, and tells itself from then on as another file does: better before it is compared than in between.
 */
export async function copyUp(path: string): Promise<void> {
  if (process.platform !== "linux") return
  await open(path, constants.O_RDWR | constants.O_NOFOLLOW).then(
    (handle) => handle.close(),
    () => undefined, // the change itself says what is wrong
  )
}
