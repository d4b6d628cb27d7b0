import { isLoopbackHost } from "../core/outbound/loopback.ts"
import { TerminalError } from "../core/terminal-error.ts"

/** Requires allowed host names if the box listens for other computers. Throws `validation`. */
export function requireAllowedHosts(host: string, allowed: readonly string[]): void {
  if (!isLoopbackHost(host) && allowed.length === 0) {
    throw new TerminalError(
      "validation",
      `Listening on ${host} would let other computers in. Name the host they may use with --allow-host NAME.`,
    )
  }
}

/** Returns the name that a client on this computer uses for the box's listening address. */
export function addressName(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1"
  return host.includes(":") ? `[${host}]` : host
}
