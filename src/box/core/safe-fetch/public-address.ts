import ipaddr from "ipaddr.js"

/** Wherever a machine runs in Azure, this address of the public ranges is its host: secrets and settings of that machine. */
const ofTheCloud = new Set(["168.63.129.16"])
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3")

/**
 * Whether an IP address is one of the public internet's. Only addresses that are known to be pass: not loopback, private,
 * link-local, shared (CGNAT), multicast, reserved or documentation ones, nor IPv6 addresses that carry an IPv4 address
 * (mapped, NAT64, 6to4, Teredo, ISATAP), because those lead wherever that one does.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== "unicast") return false
  if (parsed instanceof ipaddr.IPv4)
    return ipaddr.IPv4.isValidFourPartDecimal(address) && !ofTheCloud.has(address)
  const isIsatap = parsed.parts[5] === 0x5efe
  return parsed.zoneId === undefined && parsed.match(globalUnicast) && !isIsatap
}
