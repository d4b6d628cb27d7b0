import type { SecretStore } from "../../../core/secret-store.ts"

const namespace = "modelServer"

/**
 * Keys of model servers in the secret store, each under its server's ID and the origin for which it was entered. A key is never sent to
 * another origin, even if a restored backup or an interrupted change names a different URL.
 */
export interface ServerKeys {
  of(server: Address): Promise<string | null>
  /** Returns a function that tells whether a server has a key. */
  known(): Promise<(server: Address) => boolean>
  set(server: Address, key: string): Promise<void>
  /** Deletes the server's keys, except the one for its current URL if `keep` is true. */
  removeOtherKeys(server: Address, keep: boolean): Promise<void>
  /** Deletes the keys of servers that no longer exist. */
  sweep(ids: readonly string[]): Promise<void>
}

interface Address {
  id: string
  url: string
}

export function createServerKeys(secrets: Pick<SecretStore, "get" | "set" | "delete" | "names">): ServerKeys {
  const getName = ({ id, url }: Address) => `${namespace}/${id}/${new URL(url).origin}`
  const remove = async (goes: (name: string, id: string) => boolean) => {
    for (const name of await secrets.names()) {
      const [kind, id = ""] = name.split("/")
      if (kind === namespace && goes(name, id)) await secrets.delete(name)
    }
  }

  return {
    of: (server) => secrets.get(getName(server)),
    async known() {
      const names = new Set(await secrets.names())
      return (server) => names.has(getName(server))
    },
    set: (server, key) => secrets.set(getName(server), key),
    removeOtherKeys: (server, keep) =>
      remove((name, id) => id === server.id && !(keep && name === getName(server))),
    sweep: (ids) => remove((_, id) => !ids.includes(id)),
  }
}
