// Location of Electron's binary. The npm package doesn't contain it, but downloads it at first use.
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "./setup.mjs"

/** Path of the binary, or null if it isn't there yet. Downloads nothing. */
export function locateElectron() {
  const directory = join(root, "node_modules", "electron")
  const named = join(directory, "path.txt")
  if (!existsSync(named)) return null
  const path = join(
    process.env.ELECTRON_OVERRIDE_DIST_PATH ?? join(directory, "dist"),
    readFileSync(named, "utf8"),
  )
  return existsSync(path) ? path : null
}
