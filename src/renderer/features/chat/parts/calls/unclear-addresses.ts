/** An address, as written, that leads somewhere other than it appears to. */
export interface UnclearAddress {
  written: string
  /** The actual host, in ASCII (punycode); null if the address can't be opened as written. */
  host: string | null
}

const anyAddress = /https?:[\\/]{2}[^\s<>"']+/giu
/** The characters at which a reader expects the host to end. Look-alikes of them don't count, and a host doesn't end at them. */
const hostAsRead = /^https?:\/\/([^/?#]*)/iu

/** Returns the addresses in a value's texts whose host isn't in plain letters or isn't what appears in the host's position. */
export function unclearAddresses(value: unknown): UnclearAddress[] {
  const written = new Set(textsIn(value).flatMap((text) => text.match(anyAddress) ?? []))
  return [...written].flatMap((address) => {
    const url = URL.canParse(address) ? new URL(address) : null
    const shownHost = hostAsRead.exec(address)?.[1]?.toLowerCase().replace(/:\d*$/, "")
    if (url !== null && shownHost === url.hostname) return []
    return [{ written: address, host: url?.host ?? null }]
  })
}

/** Property names are included, because a remote tool may accept addresses as names. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value]
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([name, part]) => [name, ...textsIn(part)])
}
