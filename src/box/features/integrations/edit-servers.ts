import { AppError } from "../../../shared/contract/errors.ts"
import type { ServerChange, ServerDraft } from "../../../shared/contract/integrations.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { Logger } from "../../core/logging/logger.ts"
import type { Linking } from "./linking.ts"
import type { Servers } from "./servers.ts"
import { nothingApproved, type ServerStore } from "./store.ts"
import { type Credentials, noCredentials, type Vault } from "./vault.ts"

/** The key of a user's own server. The name part contains no `_`, so that tools of two servers can't have the same name. */
function toServerKey(name: string): string {
  const plain = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
  return `mcp_${plain || "server"}`
}

/** Credentials after a change: omitted fields stay, and null removes a field. A manually entered client starts without a sign-in. */
function applyCredentials(before: Credentials, change: Omit<ServerChange, "target">): Credentials {
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

const maxServers = 50

/** Changes that users make to their list of servers. */
export type ServerEdits = ReturnType<typeof createServerEdits>

export function createServerEdits({
  servers,
  store,
  vault,
  linking,
  logger,
}: {
  servers: Servers
  store: ServerStore
  vault: Vault
  linking: Linking
  logger: Logger
}) {
  return {
    /** Returns the new server's key. */
    async add(userId: string, { name, target, ...credentials }: ServerDraft): Promise<string> {
      await servers.requireAllowed(userId, target)
      const key = toServerKey(name)
      const stored = await store.all(userId)
      if (stored.some((other) => other.key === key))
        throw new AppError("conflict", sentence("integrations.name_taken", { key }))
      if (stored.length >= maxServers)
        throw new AppError("conflict", sentence("integrations.too_many", { count: maxServers }))
      const given = applyCredentials(noCredentials, credentials)
      await vault.add(userId, key, JSON.stringify(target), given, () =>
        store.insert(userId, key, name, target),
      )
      return key
    },

    async update(userId: string, key: string, { target, ...credentials }: ServerChange): Promise<void> {
      if (target) await servers.requireAllowed(userId, target)
      const before = await servers.claim(userId, key)
      await linking.unlink(userId, key)
      if (target && JSON.stringify(target) !== JSON.stringify(before.target)) {
        // Credentials for one server are never passed to another.
        const given = applyCredentials(noCredentials, credentials)
        await vault.exchange(userId, key, JSON.stringify(target), given, () =>
          store.change(userId, key, { target, ...nothingApproved, offTools: [] }),
        )
      } else await vault.change(userId, key, (all) => applyCredentials(all, credentials))
    },

    async remove(userId: string, key: string): Promise<void> {
      await servers.claim(userId, key)
      await linking.unlink(userId, key)
      await store.remove(userId, key)
      await vault.forget(userId, key).catch((error: unknown) => {
        logger.warn({ err: error, key }, "Credentials of a removed server are deleted at the next start")
      })
    },
  }
}
