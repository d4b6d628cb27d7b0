/** A document's information about a file that it contains. */
export interface FileHints {
  name?: string
  /** A media type or an extension. */
  type?: string
}

const nameKey = /^(file_?name|name|nome\w*|dateiname|nomefichier|title)$/i
const typeKey = /^(mime_?code|mime_?type|media_?type|content_?type|formato\w*|type|format|extension)$/i
const maxHintLength = 200

/** Adds the information about a file from a member, attribute or sibling with this name. */
export function collectFileHint(hints: FileHints, key: string, value: string): void {
  const trimmed = value.trim()
  if (trimmed === "" || trimmed.length > maxHintLength) return
  if (nameKey.test(key)) hints.name = trimmed
  else if (typeKey.test(key)) hints.type = trimmed
}
