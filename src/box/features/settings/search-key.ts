import type { WebSearchSettings } from "../../../shared/contract/web-search.ts"
import type { SecretStore } from "../../core/secret-store.ts"

const namespace = "webSearch"
type Provider = WebSearchSettings["provider"]

/**
 * Keys of search engines among the secrets, each under its engine's name: the choice of an engine is stored elsewhere, and
 * whatever is cut off or refused in between, no engine is sent another's key.
 */
export interface SearchKeys {
  of(provider: Provider): Promise<string | null>
  set(provider: Provider, key: string): Promise<void>
  /** Forgets all but the key of the choice that is stored. */
  keepOnly(choice: WebSearchSettings): Promise<void>
}

export function createSearchKeys(secrets: Pick<SecretStore, "get" | "set" | "delete" | "names">): SearchKeys {
  const nameOf = (provider: Provider) => `${namespace}/${provider}`

  return {
    /** An earlier version kept the one key without a name. */
    of: async (provider) => (await secrets.get(nameOf(provider))) ?? secrets.get(namespace),
    set: (provider, key) => secrets.set(nameOf(provider), key),
    async keepOnly({ provider, hasApiKey }) {
      const names = await secrets.names()
      const own = names.includes(nameOf(provider)) ? nameOf(provider) : namespace
      for (const name of names)
        if (name.split("/")[0] === namespace && !(hasApiKey && name === own)) await secrets.delete(name)
    },
  }
}
