import { z } from "zod"
import { createKeyedLock } from "../../core/waiting/keyed-lock.ts"
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

export const noCredentials: Credentials = {
  token: null,
  clientId: null,
  clientSecret: null,
  env: {},
  oauth: {},
}

/** Only this file writes them, and the SDK made what is under `oauth`. */
const StoredCredentials = z.object({
  token: z.string().nullable(),
  clientId: z.string().nullable(),
  clientSecret: z.string().nullable(),
  env: z.record(z.string(), z.string()),
  oauth: z.custom<OAuthRecord>((value) => typeof value === "object" && value !== null),
})

/**
 * `next` holds while its target is the server's: what a server is given changes at the moment at which its target does,
 * although they are stored apart.
 */
const Stored = StoredCredentials.extend({
  next: z.object({ target: z.string(), credentials: StoredCredentials }).optional(),
})

const namespace = "toolServer"

/** Credentials of users' servers in the secret store. Those of a server that isn't stored are none. */
export interface Vault {
  read(userId: string, key: string): Promise<Credentials>
  change(userId: string, key: string, edit: (credentials: Credentials) => Credentials): Promise<void>
  /** Gives a new server its credentials; `insert` stores the server. */
  add(userId: string, key: string, credentials: Credentials, insert: () => Promise<void>): Promise<void>
  /**
   * Gives a server another target together with its credentials. `change` stores the target. Whatever is cut off in
   * between, either both are the old ones or both the new ones.
   */
  exchange(
    userId: string,
    key: string,
    target: string,
    credentials: Credentials,
    change: () => Promise<void>,
  ): Promise<void>
  forget(userId: string, key: string): Promise<void>
  /** Forgets what is left of servers that aren't stored any more. */
  sweep(): Promise<void>
}

/** `targetOf` answers what is stored of a server's target, as text; null where the server isn't stored. */
export function createVault(
  secrets: SecretStore,
  targetOf: (userId: string, key: string) => Promise<string | null>,
): Vault {
  const lock = createKeyedLock()
  const nameOf = (userId: string, key: string) => `${namespace}/${userId}/${key}`
  const write = (userId: string, key: string, stored: z.infer<typeof Stored>) =>
    secrets.set(nameOf(userId, key), JSON.stringify(stored))

  async function read(userId: string, key: string): Promise<Credentials> {
    const text = await secrets.get(nameOf(userId, key))
    const target = await targetOf(userId, key)
    if (text === null || target === null) return noCredentials
    const { next, ...credentials } = Stored.parse(JSON.parse(text))
    return next?.target === target ? next.credentials : credentials
  }

  return {
    read,
    change: (userId, key, edit) =>
      lock.run(nameOf(userId, key), async () => write(userId, key, edit(await read(userId, key)))),
    add: (userId, key, credentials, insert) =>
      lock.run(nameOf(userId, key), async () => {
        await write(userId, key, credentials)
        await insert()
      }),
    exchange: (userId, key, target, credentials, change) =>
      lock.run(nameOf(userId, key), async () => {
        await write(userId, key, { ...(await read(userId, key)), next: { target, credentials } })
        await change()
        await write(userId, key, credentials)
      }),
    forget: (userId, key) => lock.run(nameOf(userId, key), () => secrets.delete(nameOf(userId, key))),
    async sweep() {
      for (const name of await secrets.names()) {
        const [space, userId = "", key = ""] = name.split("/")
        if (space !== namespace) continue
        await lock.run(name, async () => {
          if ((await targetOf(userId, key)) === null) await secrets.delete(name)
        })
      }
    },
  }
}
