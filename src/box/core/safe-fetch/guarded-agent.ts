import type { LookupAddress, LookupOptions } from "node:dns"
import { lookup } from "node:dns/promises"
import { isIP, type LookupFunction } from "node:net"
import { networkInterfaces, type NetworkInterfaceInfo } from "node:os"
import ipaddr from "ipaddr.js"
import type { Dispatcher } from "undici"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { onDemand, type OnDemand } from "../lazy.ts"

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

/** Returns every address of a host name. */
export type ResolveHost = (hostname: string) => Promise<LookupAddress[]>

export interface GuardedAgentOptions {
  /** Default: the system's resolver. */
  resolve?: ResolveHost
  /** Allows connections to addresses that aren't public. Only tests set this, for their own servers. */
  permits?: (address: string, port: number) => boolean
  /** Host names with ports, such as `wiki.intern:8080`, that the box's owner allows whatever their address. */
  ownHosts?: () => readonly string[]
}

const connectMs = 10_000

/**
 * Connects only to public addresses, and never to this computer's own networks. A name is judged by the addresses it resolves to, and the
 * connection uses exactly those, so that a second lookup can't lead elsewhere. The address of the connected socket is checked again.
 */
export const createGuardedAgent = (options: GuardedAgentOptions = {}): OnDemand<Dispatcher> =>
  onDemand(
    () => openGuardedAgent(options),
    (agent) => agent.destroy(),
  )

async function openGuardedAgent({
  resolve = systemResolver,
  permits = () => false,
  ownHosts = () => [],
}: GuardedAgentOptions): Promise<Dispatcher> {
  const { Agent, buildConnector } = await import("undici")
  return new Agent({
    connect: (options, callback) => {
      const port = Number(options.port) || (options.protocol === "https:" ? 443 : 80)
      const isOwnHost = ownHosts().includes(`${options.hostname}:${port}`.toLowerCase())
      const mayConnect = (address: string) =>
        isOwnHost || (isPublicAddress(address) && !isOnOwnNetwork(address)) || permits(address, port)
      const hostname = options.hostname.replace(/^\[|\]$/g, "")
      if (isIP(hostname) !== 0 && !mayConnect(hostname)) {
        callback(notPublic(), null)
        return
      }
      const connect = buildConnector({ timeout: connectMs, lookup: lookUpPublicAddress(resolve, mayConnect) })
      connect(options, (error, socket) => {
        if (error) callback(error, null)
        else if (mayConnect(socket.remoteAddress ?? "")) callback(null, socket)
        else {
          socket.destroy()
          callback(notPublic(), null)
        }
      })
    },
    maxHeaderSize: 32_768,
    keepAliveTimeout: 1000,
    keepAliveMaxTimeout: 1000,
  })
}

const systemResolver: ResolveHost = (hostname) => lookup(hostname, { all: true })

/** A single address that isn't public makes the whole name suspect. */
function lookUpPublicAddress(resolve: ResolveHost, mayConnect: (address: string) => boolean): LookupFunction {
  async function judge(hostname: string, family: LookupOptions["family"]): Promise<LookupAddress[]> {
    const found = await resolve(hostname).catch(() => [])
    if (!found.every(({ address }) => mayConnect(address))) throw notPublic()
    const usable = family ? found.filter((each) => each.family === family) : found
    if (usable.length === 0) throw notFound(hostname)
    return usable
  }
  return (hostname, { family, all }, callback) => {
    const answer = (error: Error | null, usable: LookupAddress[]) => {
      const [first] = usable
      if (error || !first) callback(error, [])
      else if (all) callback(null, usable)
      else callback(null, first.address, first.family)
    }
    void judge(hostname, family).then(
      (usable) => answer(null, usable),
      (error: Error) => answer(error, []),
    )
  }
}

export function notPublic(): AppError {
  return new AppError("forbidden_address", sentence("core.address_not_public"))
}

function notFound(hostname: string): AppError {
  return new AppError("unprocessable", sentence("core.no_server_named", { host: hostname }))
}
