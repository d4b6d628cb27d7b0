import { networkInterfaces, type NetworkInterfaceInfo } from "node:os"
import ipaddr from "ipaddr.js"

/** Shorter prefixes don't describe a local network, but stand for all addresses. */
const minPrefixLength = { ipv4: 8, ipv6: 32 }

type Interfaces = Record<string, Pick<NetworkInterfaceInfo, "address" | "cidr">[] | undefined>

/**
 * Whether an IP address belongs to this computer, or to a network that it is directly connected to. With IPv6, and in data centres, these
 * have public addresses, and services there may trust their neighbours.
 */
export function isOnOwnNetwork(address: string, interfaces: Interfaces = networkInterfaces()): boolean {
  if (!ipaddr.isValid(address)) return false
  const asked = ipaddr.process(address)
  return Object.values(interfaces)
    .flatMap((each) => each ?? [])
    .some(({ address: own, cidr }) => {
      if (own === address) return true
      if (cidr === null || !ipaddr.isValidCIDR(cidr)) return false
      const [network, prefix] = ipaddr.parseCIDR(cidr)
      return (
        network.kind() === asked.kind() &&
        prefix >= minPrefixLength[asked.kind()] &&
        asked.match(network, prefix)
      )
    })
}
