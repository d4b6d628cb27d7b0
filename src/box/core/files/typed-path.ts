import { homedir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/**
 * A path as people give it: between quotes, as file managers copy it, as the address of a file on this computer, or from
 * the home directory of who runs the box (`~`). Anything else stays as it is.
 */
export function typedPath(given: string, home: string = homedir()): string {
  const bare = given.trim().replace(/^(["'])(.+)\1$/, "$2")
  if (/^~(?=$|[\\/])/.test(bare)) return join(home, bare.slice(1))
  // The address of a file on another computer would have Windows ask that for it.
  if (!/^file:\/\/(?:localhost)?\//i.test(bare)) return bare
  try {
    return fileURLToPath(bare)
  } catch {
    return bare
  }
}
