import type { FetchLike } from "@modelcontextprotocol/client"
import type { Logger } from "../../../core/logging/logger.ts"
import type { OAuthRecord } from "../../../tools/mcp/oauth-session.ts"
import type { ServerFetches } from "../../../tools/mcp/server-fetch.ts"
import type { Servers } from "../servers.ts"
import type { Vault } from "../vault.ts"

export interface RevokeDeps {
  servers: Servers
  vault: Vault
  fetches: ServerFetches
  logger: Logger
}

const limitMs = 5_000
/** Timeout in milliseconds for the whole revocation, including requests before it. */
const limitOfAllMs = 90_000

/** Ends a user's sign-in at the provider, if the provider can be reached. */
export async function revokeSignIn(
  { servers, vault, fetches, logger }: RevokeDeps,
  userId: string,
  key: string,
): Promise<void> {
  const { target } = await servers.find(userId, key)
  if (target?.kind !== "http") return
  const { oauth } = await vault.read(userId, key)
  await revokeTokens(oauth, fetches.of(target.url, AbortSignal.timeout(limitOfAllMs))).catch(
    (error: unknown) =>
      logger.warn({ err: error, key }, "A provider couldn't be notified that a sign-in ended"),
  )
}

/**
 * Asks the provider to revoke a sign-in (RFC 7009) if it names an endpoint for that. The tokens are deleted whether or not the provider
 * complies.
 */
async function revokeTokens({ tokens, client, discovery }: OAuthRecord, fetch: FetchLike): Promise<void> {
  const metadata = discovery?.authorizationServerMetadata as { revocation_endpoint?: unknown } | undefined
  const endpoint = metadata?.revocation_endpoint
  const token = tokens?.refresh_token ?? tokens?.access_token
  if (typeof endpoint !== "string" || !token || !client) return
  const body = new URLSearchParams({ token, client_id: client.client_id })
  if (client.client_secret !== undefined) body.set("client_secret", client.client_secret)
  const response = await fetch(endpoint, { method: "POST", body, signal: AbortSignal.timeout(limitMs) })
  await response.body?.cancel()
}
