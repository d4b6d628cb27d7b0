import { isLoopbackHost } from "../core/outbound/loopback.ts"
import { TerminalError } from "../core/terminal-error.ts"

/** Whoever listens for other computers says by which names they may ask. Throws `validation`. */
export function requireAllowedHosts(host: string, allowed: readonly string[]): void {
  if (!isLoopbackHost(host) && allowed.length === 0) {
    throw new TerminalError(
      "validation",
      `Listening on ${host} would let other computers in. Name the host they may use with --allow-host NAME.`,
    )
  }
}
