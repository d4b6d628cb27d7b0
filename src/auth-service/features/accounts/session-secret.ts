import { createHmac, timingSafeEqual } from "node:crypto"

/**
 * Creates the secret that a page's session needs in addition to its cookie, which browsers send to every port of a computer. It is derived
 * from the session's token and the service's secret, so it isn't stored.
 */
export function createSessionSecrets(serviceSecret: string) {
  const of = (token: string) =>
    createHmac("sha256", serviceSecret).update(`session secret of ${token}`).digest("base64url")
  return {
    of,
    /** Compares in constant time. */
    isOf(token: string, given: string | undefined): boolean {
      const expected = Buffer.from(of(token))
      const offered = Buffer.from(given ?? "")
      return expected.length === offered.length && timingSafeEqual(expected, offered)
    },
  }
}

export type SessionSecrets = ReturnType<typeof createSessionSecrets>

/** Whether a request has two session cookies. Another port of the computer may have set one, so neither is valid. */
export const hasTwoSessions = (cookie: string): boolean =>
  cookie.split(";").filter((pair) => /^\s*(__Secure-)?casella\.session_token\s*=/.test(pair)).length > 1
