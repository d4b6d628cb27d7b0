/** A file on Hugging Face or one of its mirrors. */
export interface FileAddress {
  repo: string
  file: string
  revision: string
}

/**
 * Parses the address of a file as shown in a browser: `…/OWNER/NAME/blob/REVISION/FILE.gguf`, or with `resolve`.
 *
 * @returns null if the text isn't an address; "elsewhere" if the box can't fetch from it.
 */
export function readModelAddress(text: string, mirror: string): FileAddress | "elsewhere" | null {
  const trimmed = text.trim()
  if (!/^https?:\/\//i.test(trimmed)) return null
  if (!URL.canParse(trimmed)) return "elsewhere"
  const { host, pathname } = new URL(trimmed)
  const base = new URL(mirror)
  const known = ["huggingface.co", "hf.co", base.host].includes(host)
  const prefix = host === base.host ? base.pathname.replace(/\/+$/, "") : ""
  const path = pathname.startsWith(prefix) ? decodePath(pathname.slice(prefix.length)) : ""
  const [, repo, revision, file] = /^\/([^/]+\/[^/]+)\/(?:blob|resolve)\/([^/]+)\/(.+)$/.exec(path) ?? []
  return known && repo && revision && file ? { repo, revision, file } : "elsewhere"
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return "" // invalid escapes
  }
}
