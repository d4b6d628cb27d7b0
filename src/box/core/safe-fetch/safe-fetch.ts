import { isIP } from "node:net"
import type { Response } from "undici"
import type { EgressPurpose } from "../../../shared/contract/privacy.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import { type PlainCode, sentence } from "../../../shared/sentences/sentences.ts"
import type { Outbound } from "../outbound/outbound.ts"
import { isLoopbackHost } from "../outbound/loopback.ts"
import { createGuardedAgent, notPublic, type GuardedAgentOptions, isPublicAddress } from "./guarded-agent.ts"

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
