import type { SecretStore } from "../../../core/secret-store.ts"

const namespace = "modelServer"

/**
 * Keys of model servers among the secrets, each under its server's id and the origin that it was given for: what a
 * restored backup, or whatever is cut off while an address changes, says of a server's address, no other is sent its key.
 */
export interface ServerKeys {
  of(server: Address): Promise<string | null>
  /** Which of the servers have one. */
  known(): Promise<(server: Address) => boolean>
  set(server: Address, key: string): Promise<void>
  /** Forgets the server's keys but the one for its address, where it is to be kept. */
  keepOnly(server: Address, keep: boolean): Promise<void>
  /** Forgets the keys of servers that aren't there any more. */
  sweep(ids: readonly string[]): Promise<void>
}

interface Address {
  id: string
  url: string
}

export function createServerKeys(secrets: Pick<SecretStore, "get" | "set" | "delete" | "names">): ServerKeys {
  const nameOf = ({ id, url }: Address) => `${namespace}/${id}/${new URL(url).origin}`
  const remove = async (goes: (name: string, id: string) => boolean) => {
    for (const name of await secrets.names()) {
      const [kind, id = ""] = name.split("/")
      if (kind === namespace && goes(name, id)) await secrets.delete(name)
    }
  }

  return {
    of: (server) => secrets.get(nameOf(server)),
    async known() {
      const names = new Set(await secrets.names())
      return (server) => names.has(nameOf(server))
    },
    set: (server, key) => secrets.set(nameOf(server), key),
    keepOnly: (server, keep) => remove((name, id) => id === server.id && !(keep && name === nameOf(server))),
    sweep: (ids) => remove((_, id) => !ids.includes(id)),
  }
}
