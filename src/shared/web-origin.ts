/**
 * The origin of a web page as browsers send it, or null where `address` has none. `null` isn't an origin: browsers send it for
 * files and for every sandboxed frame. Neither is a pattern: entries are compared exactly.
 */
export function toOrigin(address: string): string | null {
  const url = URL.parse(address)
  if (!url || url.hostname === "" || url.hostname.includes("*")) return null
  if (/^https?:$/.test(url.protocol)) return url.origin
  // Desktop apps and browser extensions have schemes of their own, such as app://obsidian.md.
  return /^(file|ftp|wss?):$/.test(url.protocol) ? null : `${url.protocol}//${url.host}`
}
