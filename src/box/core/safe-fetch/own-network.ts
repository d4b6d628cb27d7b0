import { networkInterfaces, type NetworkInterfaceInfo } from "node:os"
import ipaddr from "ipaddr.js"

/** Prefixes shorter than this are no network of one's own, only a way to write "everything". */
const shortestPrefix = { ipv4: 8, ipv6: 32 }

type Interfaces = Record<string, Pick<NetworkInterfaceInfo, "address" | "cidr">[] | undefined>

/**
 * Whether an IP address is this computer's, or of a network that it is directly connected to. With IPv6, and in data
 * centres, those have addresses of the public internet's, and what listens there may trust its neighbours.
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
        prefix >= shortestPrefix[asked.kind()] &&
        asked.match(network, prefix)
      )
    })
}
