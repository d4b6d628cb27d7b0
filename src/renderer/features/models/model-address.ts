/** A file on Hugging Face or a mirror of it. */
export interface FileAddress {
  repo: string
  file: string
  revision: string
}

/**
 * Reads the address of a file as a browser shows it: `…/OWNER/NAME/blob/REVISION/FILE.gguf`, or with `resolve`.
 *
 * @returns null for what isn't an address at all; "elsewhere" for one that the box can't fetch from.
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
    return "" // broken escapes
  }
}
