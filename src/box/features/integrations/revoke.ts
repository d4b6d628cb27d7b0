import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js"
import type { OAuthRecord } from "../../tools/mcp/oauth-session.ts"

const limitMs = 5000

/** Asks the provider to end a sign-in (RFC 7009), where it says how. Whether it does is its affair: the tokens go anyway. */
export async function revokeTokens(
  { tokens, client, discovery }: OAuthRecord,
  fetch: FetchLike,
): Promise<void> {
  const metadata = discovery?.authorizationServerMetadata as { revocation_endpoint?: unknown } | undefined
  const endpoint = metadata?.revocation_endpoint
  const token = tokens?.refresh_token ?? tokens?.access_token
  if (typeof endpoint !== "string" || !token || !client) return
  const body = new URLSearchParams({ token, client_id: client.client_id })
  if (client.client_secret !== undefined) body.set("client_secret", client.client_secret)
  const response = await fetch(endpoint, { method: "POST", body, signal: AbortSignal.timeout(limitMs) })
  await response.body?.cancel()
}
