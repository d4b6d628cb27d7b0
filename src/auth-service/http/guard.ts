import type { IncomingMessage } from "node:http"
import { ServiceError } from "../../shared/contract/service-errors.ts"
import { getValues } from "./authenticate.ts"

/**
 * Checks `Host` against an exact list, which prevents DNS rebinding, and `Origin`, which blocks other web pages: no foreign origin is ever
 * allowed. Throws `FORBIDDEN`.
 */
export type Guard = (request: IncomingMessage) => void

export function createGuard(port: number, publicUrl: string | null): Guard {
  const allowed = new Map<string, string>()
  for (const name of ["127.0.0.1", "localhost", "[::1]"]) {
    allowed.set(`${name}:${port}`, `http://${name}:${port}`)
    if (port === 80) allowed.set(name, `http://${name}`)
  }
  if (publicUrl !== null) {
    const { host, origin } = new URL(publicUrl)
    allowed.set(host, origin)
  }
  return (request) => {
    const hosts = getValues(request, "host")
    const own = hosts.length === 1 ? allowed.get(hosts[0]?.toLowerCase() ?? "") : undefined
    if (own === undefined) {
      throw new ServiceError(
        "FORBIDDEN",
        "The service doesn't answer to this host name. Start it with --public-url if the address is yours.",
      )
    }
    const { origin } = request.headers
    if (origin !== undefined && origin !== own) {
      throw new ServiceError(
        "FORBIDDEN",
        "Web pages of other origins may not call this service. Send tickets from your server.",
      )
    }
  }
}
