import type { WebSearchSettings } from "../../../shared/contract/web-search.ts"
import type { SecretStore } from "../../core/secret-store.ts"

const namespace = "webSearch"
type Provider = WebSearchSettings["provider"]

/**
 * Keys of search engines in the secret store, each under its engine's name. The choice of an engine is stored elsewhere; even if a change
 * is interrupted or refused, no engine gets another one's key.
 */
export interface SearchKeys {
  of(provider: Provider): Promise<string | null>
  set(provider: Provider, key: string): Promise<void>
  /** Deletes all keys except that of the stored choice. */
  removeOtherKeys(choice: WebSearchSettings): Promise<void>
}

export function createSearchKeys(secrets: Pick<SecretStore, "get" | "set" | "delete" | "names">): SearchKeys {
  const getName = (provider: Provider) => `${namespace}/${provider}`

  return {
    /** An earlier version stored a single key without a name. */
    of: async (provider) => (await secrets.get(getName(provider))) ?? secrets.get(namespace),
    set: (provider, key) => secrets.set(getName(provider), key),
    async removeOtherKeys({ provider, hasApiKey }) {
      const names = await secrets.names()
      const own = names.includes(getName(provider)) ? getName(provider) : namespace
      for (const name of names)
        if (name.split("/")[0] === namespace && !(hasApiKey && name === own)) await secrets.delete(name)
    },
  }
}
