import { isIP } from "node:net"

/** Whether a host name, as written, can only refer to this computer. Never resolves the name. */
export function isLoopbackHost(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, "").toLowerCase()
  return name === "localhost" || isLoopbackAddress(name)
}

/** Whether an IP address is a loopback address. */
export function isLoopbackAddress(address: string): boolean {
  const kind = isIP(address)
  if (kind === 4) return address.startsWith("127.")
  return kind === 6 && (address === "::1" || /^::ffff:(127\.|7f[0-9a-f]{2}:)/.test(address))
}
