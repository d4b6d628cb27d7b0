import { isIP } from "node:net"
import type { OAuthClientProvider, FetchLike } from "@modelcontextprotocol/client"
import { AppError } from "../../../shared/contract/errors.ts"
import type { ServerTarget } from "../../../shared/contract/integrations.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { Outbound, OutboundRequest } from "../../core/outbound/outbound.ts"
import { isOnOwnNetwork, isPublicAddress, createGuardedAgent } from "../../core/safe-fetch/safe-fetch.ts"
import { eitherSignal } from "../../core/waiting/abort-and-timeout.ts"

/** A server to connect to, with everything it receives. */
export interface Server {
  /** Unique in the box: made of its owner and key. */
  id: string
  key: string
  target: ServerTarget
  /** Sent with each request. */
  token: string | null
  /** Environment variables for a local process, in addition to PATH, HOME and the user name. */
  env: Record<string, string>
  /** Signs in if the server requires it and no token is given. */
  auth: OAuthClientProvider
}

/** The server requires its user to sign in, but no sign-in is in progress. */
export class NeedsSignIn extends Error {
  override readonly name = "NeedsSignIn"
}

/** Whether a host name from a URL refers to this computer or its network, judged by its text and not by what it resolves to. */
export function isLocalHost(hostname: string): boolean {
  const name = hostname.replace(/^\[|\]$/g, "").toLowerCase()
  if (isIP(name) !== 0) return !isPublicAddress(name) || isOnOwnNetwork(name)
  return !name.includes(".") || name.endsWith(".localhost") || name.endsWith(".local")
}

/** Returns why local-only mode prevents the use of a server, or null if it is allowed. */
export function refusalOfServer(
  outbound: Pick<Outbound, "refusal" | "programRefusal">,
  target: ServerTarget,
): AppError | null {
  return target.kind === "command" ? outbound.programRefusal() : outbound.refusal(target.url)
}

/** Larger responses are cut off, as are endless streams. */
const maxBytes = 8_000_000

/**
 * Makes requests to remote servers and to the services that sign users in to them. Only public addresses and https are allowed. The one
 * exception is the origin that an owner of the box entered as the server's address, which may be in the owner's network.
 */
export interface ServerFetches extends AsyncDisposable {
  /** Returns a fetch function for one server; its requests end with the signal. */
  of(address: string, signal: AbortSignal): FetchLike
}

export function createServerFetches(outbound: Outbound): ServerFetches {
  const guarded = createGuardedAgent()

  return {
    of(address, signal) {
      const server = new URL(address)
      return async (input, init) => {
        const url = new URL(input)
        const isOwn = url.origin === server.origin && isLocalHost(server.hostname)
        if (!isOwn && url.protocol !== "https:") throw notSafe(url)
        const response = await outbound.fetch(url, {
          ...(init as Partial<OutboundRequest>),
          purpose: "integration",
          ...(isOwn ? {} : { agent: await guarded.get() }),
          signal: eitherSignal(init?.signal, signal),
        })
        const { status, statusText } = response
        const headers = [...response.headers]
        return new Response(bound(response.body as ReadableStream<Uint8Array> | null), {
          status,
          statusText,
          headers,
        })
      }
    },
    [Symbol.asyncDispose]: () => guarded[Symbol.asyncDispose](),
  }
}

function bound(body: ReadableStream<Uint8Array> | null): ReadableStream<Uint8Array> | null {
  let size = 0
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      size += piece.byteLength
      if (size <= maxBytes) controller.enqueue(piece)
      else
        controller.error(
          new AppError("unprocessable", sentence("tools.answer_too_large", { count: maxBytes / 1e6 })),
        )
    },
  })
  return body?.pipeThrough(counter) ?? null
}

const notSafe = ({ host }: URL) => new AppError("forbidden", sentence("tools.not_encrypted", { host }))
