import { z } from "zod"
import { createKeyedLock } from "../../core/waiting/locks.ts"
import type { SecretStore } from "../../core/secret-store.ts"
import type { OAuthRecord } from "../../tools/mcp/oauth-session.ts"

/** Credentials with which a server recognises its user. */
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

/** Only this file writes these values. The content of `oauth` isn't validated, because the SDK created it. */
const StoredCredentials = z.object({
  token: z.string().nullable(),
  clientId: z.string().nullable(),
  clientSecret: z.string().nullable(),
  env: z.record(z.string(), z.string()),
  oauth: z.custom<OAuthRecord>((value) => typeof value === "object" && value !== null),
})

/**
 * The credentials for `target`, and those for the next target. The target itself is stored elsewhere; whichever of the two it is, it gets
 * its own credentials. Earlier versions stored no `target`.
 */
const Stored = StoredCredentials.extend({
  target: z.string().optional(),
  next: z.object({ target: z.string(), credentials: StoredCredentials }).optional(),
})
type Stored = z.infer<typeof Stored>

const namespace = "toolServer"

/**
 * Value that a restore sets: the targets in this database come from a backup, so credentials without a target may belong to another server.
 */
export const restoredTargetsKey = "restoredToolServers"

/**
 * Credentials of users' servers in the secret store, each bound to the target for which it was entered. A server with another target, as in
 * an altered backup, has none, and neither has a server that isn't stored.
 */
export interface Vault {
  read(userId: string, key: string): Promise<Credentials>
  change(userId: string, key: string, edit: (credentials: Credentials) => Credentials): Promise<void>
  /** Stores credentials for a new server; `insert` stores the server. */
  add(
    userId: string,
    key: string,
    target: string,
    credentials: Credentials,
    insert: () => Promise<void>,
  ): Promise<void>
  /**
   * Gives a server a new target together with its credentials. `change` stores the target. After an interruption, either both are old or
   * both are new.
   */
  exchange(
    userId: string,
    key: string,
    target: string,
    credentials: Credentials,
    change: () => Promise<void>,
  ): Promise<void>
  forget(userId: string, key: string): Promise<void>
  /** Removes what is left of servers that no longer exist, and stores the targets that earlier versions didn't store. */
  sweep(): Promise<void>
}

/**
 * @param getTarget returns the stored target of a server as text; null if the server isn't stored
 * @param isRestored whether the targets come from a backup (`restoredTargetsKey`)
 */
export function createVault(
  secrets: SecretStore,
  getTarget: (userId: string, key: string) => Promise<string | null>,
  isRestored: () => Promise<boolean>,
): Vault {
  const lock = createKeyedLock()
  const getName = (userId: string, key: string) => `${namespace}/${userId}/${key}`
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
    const name = getName(userId, key)
    const target = await getTarget(userId, key)
    if (target !== null) return find(name, target)
    await secrets.get(name) // throws if the secrets can't be read: the list of servers must report that
    return noCredentials
  }

  return {
    read,
    change: (userId, key, edit) =>
      lock.run(getName(userId, key), async () => {
        const target = await getTarget(userId, key)
        if (target === null) return
        const name = getName(userId, key)
        await write(name, { ...edit(await find(name, target)), target })
      }),
    add: (userId, key, target, credentials, insert) =>
      lock.run(getName(userId, key), async () => {
        await write(getName(userId, key), { ...credentials, target })
        await insert()
      }),
    exchange: (userId, key, target, credentials, change) =>
      lock.run(getName(userId, key), async () => {
        const name = getName(userId, key)
        const before = (await getTarget(userId, key)) ?? undefined
        await write(name, { ...(await read(userId, key)), target: before, next: { target, credentials } })
        await change()
        await write(name, { ...credentials, target })
      }),
    forget: (userId, key) => lock.run(getName(userId, key), () => secrets.delete(getName(userId, key))),
    async sweep() {
      for (const name of await secrets.names()) {
        const [space, userId = "", key = ""] = name.split("/")
        if (space !== namespace) continue
        await lock.run(name, async () => {
          const target = await getTarget(userId, key)
          if (target === null) return secrets.delete(name)
          const text = await secrets.get(name)
          if (text !== null && Stored.parse(JSON.parse(text)).target === undefined)
            await write(name, { ...(await find(name, target)), target })
        })
      }
    },
  }
}
