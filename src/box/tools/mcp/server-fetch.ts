import type { FetchLike } from "@modelcontextprotocol/client"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { Outbound, OutboundRequest } from "../../core/outbound/outbound.ts"
import { createGuardedAgent } from "../../core/safe-fetch/guarded-agent.ts"
import { eitherSignal } from "../../core/waiting/abort-and-timeout.ts"
import { isLocalHost } from "./local-host.ts"

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
