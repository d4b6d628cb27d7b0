import { z } from "zod"
import { createKeyedLock } from "../../core/keyed-lock.ts"
import type { SecretStore } from "../../core/secret-store.ts"
import type { OAuthRecord } from "../../tools/mcp/oauth-session.ts"

/** What a server is given to know its user. */
export interface Credentials {
  token: string | null
  clientId: string | null
  clientSecret: string | null
  env: Record<string, string>
  oauth: OAuthRecord
}

const nothing: Credentials = { token: null, clientId: null, clientSecret: null, env: {}, oauth: {} }

/** Only this file writes them, and the SDK made what is under `oauth`. */
const Stored = z.object({
  token: z.string().nullable(),
  clientId: z.string().nullable(),
  clientSecret: z.string().nullable(),
  env: z.record(z.string(), z.string()),
  oauth: z.custom<OAuthRecord>((value) => typeof value === "object" && value !== null),
})

/** Credentials of users' servers in the secret store. */
export interface Vault {
  read(userId: string, key: string): Promise<Credentials>
  change(userId: string, key: string, edit: (credentials: Credentials) => Credentials): Promise<void>
  forget(userId: string, key: string): Promise<void>
}

export function createVault(secrets: SecretStore): Vault {
  const lock = createKeyedLock()
  const nameOf = (userId: string, key: string) => `toolServer/${userId}/${key}`

  async function read(userId: string, key: string): Promise<Credentials> {
    const stored = await secrets.get(nameOf(userId, key))
    return stored === null ? nothing : Stored.parse(JSON.parse(stored))
  }

  return {
    read,
    change: (userId, key, edit) =>
      lock.run(nameOf(userId, key), async () =>
        secrets.set(nameOf(userId, key), JSON.stringify(edit(await read(userId, key)))),
      ),
    forget: (userId, key) => lock.run(nameOf(userId, key), () => secrets.delete(nameOf(userId, key))),
  }
}
