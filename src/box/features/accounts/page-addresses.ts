export interface Listening {
  /** Address on which the box listens. */
  host: string
  port: number
  /** Host names other than loopback that requests may use. Some include a port. */
  allowedHosts: readonly string[]
  /** Additional addresses, with port, on which the box listens because its owner enabled them. */
  openAddresses: readonly string[]
  /** URL at which browsers reach the box through a proxy. */
  publicUrl: string | null
}

const loopback = /^(localhost|::1|127(\.\d{1,3}){3})$/
const everywhere = new Set(["0.0.0.0", "::"])

/** Returns the URLs that open the page: on the box's own computer, and from other computers if the box listens for them. */
export function pageAddresses({ host, port, allowedHosts, openAddresses, publicUrl }: Listening): {
  local: string
  network: string[]
} {
  const addPort = (name: string) => (/:\d{1,5}$/.test(name) ? name : `${name}:${port}`)
  const name = everywhere.has(host) ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host
  return {
    local: `http://${name}:${port}`,
    network: [
      ...(publicUrl === null ? [] : [publicUrl]),
      ...(loopback.test(host) && openAddresses.length === 0
        ? []
        : [...openAddresses, ...allowedHosts].map((allowed) => `http://${addPort(allowed)}`)),
    ],
  }
}
