/** An address that leads elsewhere than it seems to, as it is written. */
export interface UnclearAddress {
  written: string
  /** Where it leads, in ASCII (punycode); null where nobody can open it as it is. */
  host: string | null
}

const anyAddress = /https?:[\\/]{2}[^\s<>"']+/giu
/** What ends the host for a reader. Look-alikes of these signs don't, nor does a host end at them. */
const hostAsRead = /^https?:\/\/([^/?#]*)/iu

/** The addresses in a value's texts whose host isn't written in plain letters, or isn't what stands where hosts do. */
export function unclearAddresses(value: unknown): UnclearAddress[] {
  const written = new Set(textsIn(value).flatMap((text) => text.match(anyAddress) ?? []))
  return [...written].flatMap((address) => {
    const url = URL.canParse(address) ? new URL(address) : null
    const asRead = hostAsRead.exec(address)?.[1]?.toLowerCase().replace(/:\d*$/, "")
    if (url !== null && asRead === url.hostname) return []
    return [{ written: address, host: url?.host ?? null }]
  })
}

/** Names count as well: a tool of elsewhere may take addresses by them. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value]
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([name, part]) => [name, ...textsIn(part)])
}
