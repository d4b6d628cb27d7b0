import { homedir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/**
 * Normalises a path as users enter it: in quotes, as file managers copy it, as a file address on this computer, or relative to the home
 * directory of the user who runs the box (`~`). Anything else stays unchanged.
 */
export function typedPath(given: string, home: string = homedir()): string {
  const bare = given.trim().replace(/^(["'])(.+)\1$/, "$2")
  if (/^~(?=$|[\\/])/.test(bare)) return join(home, bare.slice(1))
  // With the address of a file on another computer, Windows would contact that computer.
  if (!/^file:\/\/(?:localhost)?\//i.test(bare)) return bare
  try {
    return fileURLToPath(bare)
  } catch {
    return bare
  }
}
