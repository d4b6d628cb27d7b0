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
 * The credentials for `target`, and those for the target that the server is about to get. The target itself is stored
 * elsewhere, so whichever of the two it is, it gets its own credentials. Earlier versions stored no `target`.
 */
const Stored = StoredCredentials.extend({
  target: z.string().optional(),
  next: z.object({ target: z.string(), credentials: StoredCredentials }).optional(),
})
type Stored = z.infer<typeof Stored>

const namespace = "toolServer"

/**
 * Box value that a restore sets: the targets in this database are those of a backup, so credentials without a target
 * may have been given to another server.
 */
export const restoredTargetsKey = "restoredToolServers"

/**
 * Credentials of users' servers in the secret store, each for the target it was given for: a server with another target, as in an
 * altered backup, has none. Those of a server that isn't stored are none.
 */
export interface Vault {
  read(userId: string, key: string): Promise<Credentials>
  change(userId: string, key: string, edit: (credentials: Credentials) => Credentials): Promise<void>
  /** Gives a new server its credentials; `insert` stores the server. */
  add(
    userId: string,
    key: string,
    target: string,
    credentials: Credentials,
    insert: () => Promise<void>,
  ): Promise<void>
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
  /** Forgets what is left of servers that aren't stored any more, and stores the targets that earlier versions didn't. */
  sweep(): Promise<void>
}

/**
 * @param targetOf what is stored of a server's target, as text; null where the server isn't stored
 * @param isRestored whether the targets are those of a backup (`restoredTargetsKey`)
 */
export function createVault(
  secrets: SecretStore,
  targetOf: (userId: string, key: string) => Promise<string | null>,
  isRestored: () => Promise<boolean>,
): Vault {
  const lock = createKeyedLock()
  const nameOf = (userId: string, key: string) => `${namespace}/${userId}/${key}`
  const write = (name: string, stored: Stored) => secrets.set(name, JSON.stringify(stored))

  async function find(name: string, target: string): Promise<Credentials> {
    const text = await secrets.get(name)
    if (text === null) return noCredentials
    const { next, target: given, ...credentials } = Stored.parse(JSON.parse(text))
    if (next?.target === target) return next.credentials
    const isFor = given === undefined ? !(await isRestored()) : given === target
    return isFor ? credentials : noCredentials
  }

  async function read(userId: string, key: string): Promise<Credentials> {
    const name = nameOf(userId, key)
    const target = await targetOf(userId, key)
    if (target !== null) return find(name, target)
    await secrets.get(name) // throws if the secrets can't be read: the list of servers must say so
    return noCredentials
  }

  return {
    read,
    change: (userId, key, edit) =>
      lock.run(nameOf(userId, key), async () => {
        const target = await targetOf(userId, key)
        if (target === null) return
        const name = nameOf(userId, key)
        await write(name, { ...edit(await find(name, target)), target })
      }),
    add: (userId, key, target, credentials, insert) =>
      lock.run(nameOf(userId, key), async () => {
        await write(nameOf(userId, key), { ...credentials, target })
        await insert()
      }),
    exchange: (userId, key, target, credentials, change) =>
      lock.run(nameOf(userId, key), async () => {
        const name = nameOf(userId, key)
        const before = (await targetOf(userId, key)) ?? undefined
        await write(name, { ...(await read(userId, key)), target: before, next: { target, credentials } })
        await change()
        await write(name, { ...credentials, target })
      }),
    forget: (userId, key) => lock.run(nameOf(userId, key), () => secrets.delete(nameOf(userId, key))),
    async sweep() {
      for (const name of await secrets.names()) {
        const [space, userId = "", key = ""] = name.split("/")
        if (space !== namespace) continue
        await lock.run(name, async () => {
          const target = await targetOf(userId, key)
          if (target === null) return secrets.delete(name)
          const text = await secrets.get(name)
          if (text !== null && Stored.parse(JSON.parse(text)).target === undefined)
            await write(name, { ...(await find(name, target)), target })
        })
      }
    },
  }
}
