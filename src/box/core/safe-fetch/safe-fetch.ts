import type { LookupAddress, LookupOptions } from "node:dns"
import { lookup } from "node:dns/promises"
import { isIP, type LookupFunction } from "node:net"
import { networkInterfaces, type NetworkInterfaceInfo } from "node:os"
import ipaddr from "ipaddr.js"
import type { Dispatcher, Response } from "undici"
import { AppError } from "../../../shared/contract/errors.ts"
import type { EgressPurpose } from "../../../shared/contract/privacy.ts"
import { sentence, type PlainCode } from "../../../shared/sentences/sentences.ts"
import { onDemand, type OnDemand } from "../lazy.ts"
import { isLoopbackHost } from "../outbound/loopback.ts"
import type { Outbound } from "../outbound/outbound.ts"

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
type ResolveHost = (hostname: string) => Promise<LookupAddress[]>

interface GuardedAgentOptions {
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

function notPublic(): AppError {
  return new AppError("forbidden_address", sentence("core.address_not_public"))
}

function notFound(hostname: string): AppError {
  return new AppError("unprocessable", sentence("core.no_server_named", { host: hostname }))
}

export interface SafeRequest {
  purpose: EgressPurpose
  url: string
  /** Sent only to the first server: a request with headers doesn't follow redirects. */
  headers?: Record<string, string>
  signal: AbortSignal
  /** Whether a response of this media type is wanted; others are rejected before their body is read. */
  accepts?: (mediaType: string) => boolean
  /** The owner of the box set this address, so it may be in their own network. Redirects aren't followed. */
  ownersAddress?: boolean
  /** By default 5 MB, and 15 s for the whole request. */
  maxBytes?: number
  limitMs?: number
}

export interface SafeResponse {
  /** The final address after redirects. */
  url: string
  status: number
  /** In lower case and without parameters; empty if the server names none. */
  mediaType: string
  bytes: Buffer
}

/**
 * The only way to fetch a remote address that a model, a document or another user named. Public addresses only, http and https, no
 * credentials, no cookies, a limited time and (unpacked) size, and at most five redirects, each of which is checked. Throws AppError:
 * `validation` for an address that can't be fetched, `forbidden_address` for one that isn't public, `unprocessable` for a response that is
 * too large, too slow or unwanted, local-only's refusal, or the signal's reason.
 */
export interface SafeFetch extends AsyncDisposable, Pick<Outbound, "refusal"> {
  fetch(request: SafeRequest): Promise<SafeResponse>
}

const maxRedirects = 5
const redirects = new Set([301, 302, 303, 307, 308])
const defaults = { maxBytes: 5_000_000, limitMs: 15_000 }

export function createSafeFetch(outbound: Outbound, options: GuardedAgentOptions = {}): SafeFetch {
  const guarded = createGuardedAgent(options)

  async function ask(url: URL, { purpose, ownersAddress, headers }: SafeRequest, signal: AbortSignal) {
    return outbound.fetch(url, {
      purpose,
      ...(ownersAddress ? {} : { agent: await guarded.get() }),
      signal,
      headers: { "user-agent": "Mozilla/5.0 (compatible; Casella)", accept: "*/*", ...headers },
    })
  }

  function parseAllowedUrl(address: string, base?: URL): URL {
    const url = parseHttpUrl(address, base)
    const { hostname, port } = url
    if (usualPorts.has(port) || Number(port) >= 1024 || options.ownHosts?.().includes(`${hostname}:${port}`))
      return url
    const literal = hostname.replace(/^\[|\]$/g, "")
    if (isLoopbackHost(hostname) || (isIP(literal) !== 0 && !isPublicAddress(literal))) throw notPublic()
    throw new AppError("validation", sentence("core.port_without_pages"))
  }

  async function follow(request: SafeRequest, signal: AbortSignal): Promise<SafeResponse> {
    let url = parseAllowedUrl(request.url)
    const staysThere = request.headers !== undefined || request.ownersAddress === true
    for (let hop = 0; hop <= maxRedirects; hop++) {
      const response = await ask(url, request, signal)
      const location = response.headers.get("location")
      if (staysThere || !redirects.has(response.status) || location === null) {
        return receive(response, url, request)
      }
      await response.body?.cancel()
      url = parseAllowedUrl(location, url)
    }
    throw new AppError("unprocessable", sentence("core.redirected_without_end"))
  }

  return {
    refusal: outbound.refusal,
    async fetch(request) {
      const limitMs = request.limitMs ?? defaults.limitMs
      const timer = AbortSignal.timeout(limitMs)
      try {
        return await follow(request, AbortSignal.any([request.signal, timer]))
      } catch (error) {
        request.signal.throwIfAborted()
        if (timer.aborted) {
          throw new AppError("unprocessable", sentence("core.server_too_slow", { count: limitMs / 1000 }))
        }
        throw explain(error)
      }
    },
    [Symbol.asyncDispose]: () => guarded[Symbol.asyncDispose](),
  }
}

async function receive(response: Response, url: URL, request: SafeRequest): Promise<SafeResponse> {
  const mediaType = (response.headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? ""
  if (response.ok && request.accepts?.(mediaType) === false) {
    await response.body?.cancel()
    throw new AppError(
      "unprocessable",
      sentence("core.no_text_there", { type: mediaType || sentence("core.something_unknown") }),
    )
  }
  const bytes = await readBody(response, request.maxBytes ?? defaults.maxBytes)
  return { url: url.href, status: response.status, mediaType, bytes }
}

/** Counts the decompressed bytes; decompression doesn't run ahead of reading. */
async function readBody(response: Response, maxBytes: number): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of response.body ?? []) {
    size += piece.byteLength
    // leaving the loop cancels the rest
    if (size > maxBytes)
      throw new AppError("unprocessable", sentence("core.answer_too_large", { count: maxBytes / 1e6 }))
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

const usualPorts = new Set(["", "80", "443"])

function parseHttpUrl(address: string, base?: URL): URL {
  const wrong = (code: PlainCode) => new AppError("validation", sentence(code))
  if (address.length > 4000 || !URL.canParse(address, base?.href)) throw wrong("core.not_absolute_address")
  const url = new URL(address, base)
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw wrong("core.web_addresses_only")
  }
  if (url.username !== "" || url.password !== "") throw wrong("core.address_with_password")
  url.hash = ""
  return url
}

function explain(error: unknown): Error {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof AppError) return cause
    if (cause.message === "bad port") return new AppError("validation", sentence("core.port_without_pages"))
  }
  return new AppError("unprocessable", sentence("core.server_unreachable"), {
    cause: error,
  })
}
