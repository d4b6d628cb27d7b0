import type { Outbound } from "../../core/outbound/outbound.ts"
import type { AuthService } from "./auth-service.ts"

/** The auth service at a URL. Its client code is loaded with the first request, because most servers never make one. */
export function openAuthService(
  url: string,
  outbound: Pick<Outbound, "fetch" | "refusal">,
  signal: AbortSignal,
): AuthService {
  const open = async () => (await import("./ask-auth-service.ts")).askAuthService(url, outbound, signal)
  return {
    url,
    refusal: () => outbound.refusal(url),
    createKey: async (email, password) => (await open()).createKey(email, password),
    endKey: async (key) => (await open()).endKey(key),
    createTicket: async (key, body) => (await open()).createTicket(key, body),
    listOwnTickets: async (key, externalId) => (await open()).listOwnTickets(key, externalId),
  }
}
