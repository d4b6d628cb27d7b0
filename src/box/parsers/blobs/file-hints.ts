/** A document's information about a file that it contains. */
export interface FileHints {
  name?: string
  /** A media type or an extension. */
  type?: string
}

const nameKey = /^(file_?name|name|nome\w*|dateiname|nomefichier|title)$/i
const typeKey = /^(mime_?code|mime_?type|media_?type|content_?type|formato\w*|type|format|extension)$/i
const longestHint = 200

/** Adds the information about a file from a member, attribute or sibling with this name. */
export function hearOfFile(hints: FileHints, key: string, value: string): void {
  const said = value.trim()
  if (said === "" || said.length > longestHint) return
  if (nameKey.test(key)) hints.name = said
  else if (typeKey.test(key)) hints.type = said
}
