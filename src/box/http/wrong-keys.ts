import type { IncomingMessage } from "node:http"
import { AppError } from "../../shared/contract/errors.ts"
import { sentence } from "../../shared/sentences/sentences.ts"
import { isForwarded } from "./forwarded.ts"
import { isLoopbackAddress } from "../core/outbound/loopback.ts"

/** Maximum wrong keys from another computer within a period. After that, all keys from it are rejected until the period ends. */
const maxWrong = 20
const withinMs = 60_000
/** Maximum addresses remembered, which limits memory however many addresses try. */
const maxAddresses = 10_000

export interface WrongKeys {
  /** Throws `rate_limited` for another computer that has sent too many wrong keys. */
  require(request: IncomingMessage): void
  note(request: IncomingMessage): void
}

/** Keys can't be guessed; the limit saves the box work and keeps its log readable. */
export function createWrongKeys(
  now: () => number = () => performance.now(),
  forwardingToken: string | null = null,
): WrongKeys {
  const byAddress = new Map<string, { count: number; since: number }>()

  function getRemoteAddress(request: IncomingMessage): string | undefined {
    const { remoteAddress } = request.socket
    if (remoteAddress === undefined || isLoopbackAddress(remoteAddress)) return undefined
    return isForwarded(request, forwardingToken) ? undefined : remoteAddress
  }

  function wrongFrom(address: string): { count: number; since: number } {
    const known = byAddress.get(address)
    return known && now() - known.since < withinMs ? known : { count: 0, since: now() }
  }

  return {
    require(request) {
      const address = getRemoteAddress(request)
      if (address !== undefined && wrongFrom(address).count >= maxWrong)
        throw new AppError("rate_limited", sentence("http.too_many_wrong_keys"))
    },
    note(request) {
      const address = getRemoteAddress(request)
      if (address === undefined) return
      const { count, since } = wrongFrom(address)
      byAddress.delete(address)
      byAddress.set(address, { count: count + 1, since })
      const [oldest] = byAddress.keys()
      if (byAddress.size > maxAddresses && oldest !== undefined) byAddress.delete(oldest)
    },
  }
}
