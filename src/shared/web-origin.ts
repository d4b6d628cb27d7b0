/**
 * Returns the origin of a web page in the form that browsers send; null if `address` has none. `null` isn't an origin, because browsers
 * send it for files and for every sandboxed frame. A pattern isn't one either, because entries are compared exactly.
 */
export function toOrigin(address: string): string | null {
  const url = URL.parse(address)
  if (!url || url.hostname === "" || url.hostname.includes("*")) return null
  if (/^https?:$/.test(url.protocol)) return url.origin
  // Desktop apps and browser extensions have their own schemes, such as app://obsidian.md.
  return /^(file|ftp|wss?):$/.test(url.protocol) ? null : `${url.protocol}//${url.host}`
}
