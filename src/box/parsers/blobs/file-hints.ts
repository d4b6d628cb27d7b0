/** What a document says of a file that it holds. */
export interface FileHints {
  name?: string
  /** A media type, or an extension. */
  type?: string
}

const nameKey = /^(file_?name|name|nome\w*|dateiname|nomefichier|title)$/i
const typeKey = /^(mime_?code|mime_?type|media_?type|content_?type|formato\w*|type|format|extension)$/i
const longestHint = 200

/** Adds what a member, an attribute or a sibling by this name tells of a file. */
export function hearOfFile(hints: FileHints, key: string, value: string): void {
  const said = value.trim()
  if (said === "" || said.length > longestHint) return
  if (nameKey.test(key)) hints.name = said
  else if (typeKey.test(key)) hints.type = said
}
