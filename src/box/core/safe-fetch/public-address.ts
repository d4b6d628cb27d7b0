import ipaddr from "ipaddr.js"

/** In Azure, this address from the public ranges is the host of every virtual machine, with the machine's secrets and settings. */
const cloudAddresses = new Set(["168.63.129.16"])
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3")

/**
 * Whether an IP address is public. Only addresses that are known to be public are accepted. Rejected are loopback, private, link-local,
 * shared (CGNAT), multicast, reserved and documentation addresses, and IPv6 addresses that contain an IPv4 address (mapped, NAT64, 6to4,
 * Teredo, ISATAP), because those lead to the IPv4 address.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== "unicast") return false
  if (parsed instanceof ipaddr.IPv4)
    return ipaddr.IPv4.isValidFourPartDecimal(address) && !cloudAddresses.has(address)
  const isIsatap = parsed.parts[5] === 0x5efe
  return parsed.zoneId === undefined && parsed.match(globalUnicast) && !isIsatap
}
