export interface Listening {
  /** Address the box listens on. */
  host: string
  port: number
  /** Names besides loopback that requests may use; some name a port of their own. */
  allowedHosts: readonly string[]
  /** Addresses, with the port, that it listens at besides, as its owner wants. */
  openAddresses: readonly string[]
  /** Where a proxy lets browsers reach it. */
  publicUrl: string | null
}

const loopback = /^(localhost|::1|127(\.\d{1,3}){3})$/
const everywhere = new Set(["0.0.0.0", "::"])

/** Addresses that open the page: on the box's own computer, and from others where the box listens to them. */
export function pageAddresses({ host, port, allowedHosts, openAddresses, publicUrl }: Listening): {
  local: string
  network: string[]
} {
  const withPort = (name: string) => (/:\d{1,5}$/.test(name) ? name : `${name}:${port}`)
  const name = everywhere.has(host) ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host
  return {
    local: `http://${name}:${port}`,
    network: [
      ...(publicUrl === null ? [] : [publicUrl]),
      ...(loopback.test(host) && openAddresses.length === 0
        ? []
        : [...openAddresses, ...allowedHosts].map((allowed) => `http://${withPort(allowed)}`)),
    ],
  }
}
