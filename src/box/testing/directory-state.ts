import { createHash } from "node:crypto"
import { lstat, readdir, readFile } from "node:fs/promises"
import { join } from "node:path"

/** Returns a state that changes when a directory, or anything in it, is created, written, renamed, chmod-ed or deleted. */
export async function directoryState(directory: string): Promise<Record<string, string>> {
  const state: Record<string, string> = {}
  for (const name of ["", ...(await readdir(directory, { recursive: true })).toSorted()]) {
    const path = join(directory, name)
    const found = await lstat(path)
    const content = found.isFile()
      ? createHash("sha256")
          .update(await readFile(path))
          .digest("hex")
      : ""
    state[name] = [found.mode, found.nlink, found.mtimeMs, found.ctimeMs, content].join(" ")
  }
  return state
}
