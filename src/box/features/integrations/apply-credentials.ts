import type { ServerChange } from "../../../shared/contract/integrations.ts"
import type { Credentials } from "./vault.ts"

/** Credentials after a change: omitted fields stay, and null removes a field. A manually entered client starts without a sign-in. */
export function applyCredentials(before: Credentials, change: Omit<ServerChange, "target">): Credentials {
  const { token = before.token, clientId = before.clientId, env = before.env } = change
  const { clientSecret = before.clientSecret } = change
  const sameClient = clientId === before.clientId && clientSecret === before.clientSecret
  return {
    token,
    clientId,
    clientSecret,
    env: env ?? {},
    oauth: sameClient ? before.oauth : givenClient(clientId, clientSecret),
  }
}

function givenClient(clientId: string | null, secret: string | null): Credentials["oauth"] {
  if (clientId === null) return {}
  const client = { client_id: clientId, ...(secret === null ? {} : { client_secret: secret }) }
  return { client, clientIsGiven: true }
}
