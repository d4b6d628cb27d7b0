/** Shorter texts are keys, hashes and names, which people may search for. */
const minCharacters = 128
/** No language has words this long. Base64 is wrapped in lines of 60 to 76 characters. */
const minInLine = 40
/** Matched instead of the allowed characters, because V8's regular expressions may overflow the stack on a text of 90 MB. */
const invalidCharacter = /[^A-Za-z0-9+/]/

/** Whether a text contains only base64 characters, with optional `=` at its end. */
function hasOnlyBase64Characters(text: string): boolean {
  const bare = text.replace(/={1,2}$/, "")
  return bare !== "" && !invalidCharacter.test(bare)
}

/** Whether a text contains only bytes in base64, possibly in lines: no prose, number, path or hexadecimal digits. */
export function isBase64(text: string): boolean {
  if (text.length < minCharacters) return false
  const start = text.trimStart().slice(0, minInLine)
  if (!/^[A-Za-z0-9+/]{40}/.test(start)) return false // Checked before anything long.
  const lines = text.trim().split(/\s+/)
  const last = lines.pop() ?? ""
  if (!hasOnlyBase64Characters(last)) return false
  if (!lines.every((line) => line.length >= minInLine && !invalidCharacter.test(line))) return false
  return isMixed(text.slice(0, 4_000))
}

/** Whether a text of any length can be base64. Used where base64 is declared. */
export function isPlainBase64(text: string): boolean {
  const bare = text.replace(/\s+/g, "")
  return bare.length > 0 && bare.length % 4 === 0 && hasOnlyBase64Characters(bare)
}

/** The bytes of documents soon produce upper-case letters, lower-case letters and digits. */
const isMixed = (text: string): boolean => /[A-Z]/.test(text) && /[a-z]/.test(text) && /\d/.test(text)

const minLines = 4
const minWidth = 60

/** A series of base64 lines within other text, from its first line to before `end`. */
export interface Base64Lines {
  start: number
  end: number
}

/** Finds base64 among the lines of a text, such as the source of an email that another one quotes. */
export function findBase64Lines(lines: readonly string[]): Base64Lines[] {
  const found: Base64Lines[] = []
  for (let start = 0; start < lines.length; start++) {
    const width = lines[start]?.length ?? 0
    if (width < minWidth) continue
    let end = start
    while (lines[end]?.length === width && hasOnlyBase64Characters(lines[end] ?? "")) end++
    if (end - start < minLines) continue
    const last = lines[end] ?? ""
    if (last.length < width && hasOnlyBase64Characters(last) && !/^[a-z]*$/i.test(last)) end++
    if (isMixed(lines.slice(start, end).join("").slice(0, 4_000))) found.push({ start, end })
    start = end - 1
  }
  return found
}
