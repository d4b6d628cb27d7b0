import { isUtf8 } from "node:buffer"

/** Replaces bytes of a name that aren't text; system calls that return text use it too. */
const replacement = "\uFFFD"

/** Returns a name in displayable form. Bytes that aren't UTF-8, as in names from old systems, appear as � and their value. */
export function shownName(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString()
  let name = ""
  for (let at = 0; at < bytes.length;) {
    const length = [1, 2, 3, 4].find((n) => at + n <= bytes.length && isUtf8(bytes.subarray(at, at + n)))
    if (length === undefined) name += replacement + bytes.toString("hex", at, at + 1).toUpperCase()
    else name += bytes.toString("utf8", at, at + length)
    at += length ?? 1
  }
  return name
}

/** Whether the real name of the file, or of a directory in its path, may differ on disk. */
export const isShownOnly = (path: string): boolean => path.includes(replacement)

/** Returns the part of a relative path that is certain to be the same on disk: its first directories, or all of it. */
export function certainPart(path: string): string {
  if (!isShownOnly(path)) return path
  const names = path.split("/")
  return names.slice(0, names.findIndex(isShownOnly)).join("/")
}
