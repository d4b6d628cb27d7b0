import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  type Stats,
} from "node:fs"
import { open } from "node:fs/promises"

const largestBytes = 4 * 2 ** 20
/** A named pipe would keep whoever opens it until somebody writes into it. */
const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)
const isSmallFile = (found: Stats, largest = largestBytes) => found.isFile() && found.size <= largest

/**
 * The text of a file of up to 4 MB, or so many bytes; nothing of a larger one, and of what isn't a file, such as a named pipe.
 * Throws as `open` does.
 */
export async function readSmallFile(path: string, largest?: number): Promise<string> {
  await using file = await open(path, flags)
  return isSmallFile(await file.stat(), largest) ? await file.readFile("utf8") : ""
}

/** As `readSmallFile`, for what is read before anything else runs, on the data directory's own disk. */
export function readSmallFileNow(path: string): string {
  const file = openSync(path, flags)
  try {
    return isSmallFile(fstatSync(file)) ? readFileSync(file, "utf8") : ""
  } finally {
    closeSync(file)
  }
}

/** Whoever reads the file meanwhile, or after a crash, has the text before or this one; with `flush` it is on the disk by then. */
export function replaceSmallFileNow(
  path: string,
  text: string,
  options: { mode?: number; flush?: boolean } = {},
): void {
  const written = freeNewName(path)
  writeFileSync(written, text, { ...options, flag: "wx" })
  renameSync(written, path)
}

/** The name under which a file is written anew, before it takes the place of `path`; what had that name is gone. Open it with `wx`. */
export function freeNewName(path: string): string {
  const name = `${path}.new`
  rmSync(name, { recursive: true, force: true })
  return name
}
