import ipaddr from "ipaddr.js"

/** The address range of one customer of a network provider: an IPv4 address, or an IPv6 /64 with 2^64 addresses. */
export function getNetwork(address: string): string {
  const plain = address.replace(/%.*$/, "")
  if (!ipaddr.isValid(plain)) return "unknown"
  const parsed = ipaddr.process(plain)
  if (parsed.kind() === "ipv4") return parsed.toString()
  return `${(parsed as ipaddr.IPv6).parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(":")}::/64`
}
