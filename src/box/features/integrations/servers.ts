import { z } from "zod"
import catalogue from "../../../../resources/integrations.json" with { type: "json" }
import { AppError, invalidField } from "../../../shared/contract/errors.ts"
import { ServerTarget, type IntegrationSummary } from "../../../shared/contract/integrations.ts"
import { integrationTools } from "../../../shared/contract/tools.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { lazy } from "../../core/lazy.ts"
import { isLocalHost, type Server } from "../../tools/mcp/server.ts"
import type { SignIn } from "../../tools/mcp/oauth-session.ts"
import type { ServerStore, StoredServer } from "./store.ts"
import type { Vault } from "./vault.ts"

/** Built-in data about a provider, before any user settings. */
interface CatalogueEntry {
  key: string
  name: string
  target: ServerTarget | null
  setup: IntegrationSummary["setup"]
  documentation: string | null
  /** OAuth scope to request if neither the server nor its metadata names one. */
  scope: string | null
  /** Query parameters added to the URL that the user opens to sign in. */
  authorizationParameters: Record<string, string>
}

const Entry = z.strictObject({
  target: ServerTarget.nullable().default(null),
  setup: z.enum(["none", "address", "client", "token", "environment"]),
  documentation: z.url().nullable().default(null),
  scope: z.string().nullable().default(null),
  authorizationParameters: z.record(z.string(), z.string()).default({}),
})

/** The built-in integrations by key, in the contract's order. */
export const integrationCatalogue = lazy((): ReadonlyMap<string, CatalogueEntry> => {
  const entries = z.record(z.enum(Object.keys(integrationTools)), Entry).parse(catalogue)
  return new Map(
    Object.entries(integrationTools).flatMap(([key, { name }]) => {
      const entry = entries[key]
      return entry ? [[key, { key, name, ...entry }]] : []
    }),
  )
})

/** Users' servers with their settings, including those of the catalogue, prepared for connecting. */
export interface Servers {
  all(userId: string): Promise<StoredServer[]>
  /** Throws `not_found`. */
  find(userId: string, key: string): Promise<StoredServer>
  /** Like `find`, and also stores a server that so far exists only in the catalogue. */
  claim(userId: string, key: string): Promise<StoredServer>
  /** Throws `validation` or `forbidden` for a server that this user may not have. */
  requireAllowed(userId: string, target: ServerTarget): Promise<void>
  /** Throws if the server can't be connected to: it has no address, or its user has lost the required rights. */
  prepare(userId: string, stored: StoredServer, signIn?: SignIn): Promise<Server>
}

/** Unique, even if user IDs of a restored backup contain slashes. */
export const serverId = (userId: string, key: string) => `${encodeURIComponent(userId)}/${key}`
export const getOwner = (id: string) => splitServerId(id).ownerId
export function splitServerId(id: string) {
  const slash = id.indexOf("/")
  return { ownerId: decodeURIComponent(id.slice(0, slash)), key: id.slice(slash + 1) }
}
export const isServerOf = (userId: string, id: string) => id.startsWith(serverId(userId, ""))

/**
 * @param isOwner owners may run programs and reach their own network
 */
export function createServers(
  store: ServerStore,
  vault: Vault,
  isOwner: (userId: string) => Promise<boolean>,
  redirectUrl: () => string,
): Servers {
  async function requireAllowed(userId: string, target: ServerTarget): Promise<void> {
    const isCommand = target.kind === "command"
    const url = isCommand ? null : new URL(target.url)
    const isLocal = url !== null && isLocalHost(url.hostname)
    if (url?.protocol === "http:" && !isLocal) {
      throw invalidField("target.url", sentence("validation.https_or_own_network"))
    }
    if ((isCommand || isLocal) && !(await isOwner(userId))) {
      const what = sentence(isCommand ? "integrations.run_programs" : "integrations.reach_network")
      throw new AppError("forbidden", sentence("integrations.owners_only", { what }))
    }
  }

  async function find(userId: string, key: string): Promise<StoredServer> {
    const stored = await store.find(userId, key)
    if (stored) return mergeCatalogue(stored)
    const entry = integrationCatalogue().get(key)
    if (!entry) throw new AppError("not_found", sentence("integrations.none_such"))
    return createUnlinkedServer(key, entry.name, entry.target)
  }

  return {
    async all(userId) {
      const stored = await store.all(userId)
      const byKey = new Map(stored.map((server) => [server.key, server]))
      const known = [...integrationCatalogue().values()].map(({ key, name, target }) => {
        const own = byKey.get(key)
        return own ? mergeCatalogue(own) : createUnlinkedServer(key, name, target)
      })
      return [...known, ...stored.filter(({ key }) => !integrationCatalogue().has(key))]
    },
    find,
    async claim(userId, key) {
      const server = await find(userId, key)
      if (await store.find(userId, key)) return server
      await vault.forget(userId, key) // remains of an earlier, interrupted removal
      await store.insert(userId, key, server.name, null)
      return server
    },
    requireAllowed,
    async prepare(userId, { key, target }, signIn) {
      if (target === null) throw new AppError("conflict", sentence("integrations.no_address"))
      await requireAllowed(userId, target)
      const entry = integrationCatalogue().get(key)
      const { token, env } = await vault.read(userId, key)
      const { createOAuthSession } = await import("../../tools/mcp/oauth-session.ts")
      return {
        id: serverId(userId, key),
        key,
        target,
        token,
        env,
        auth: createOAuthSession({
          redirectUrl: redirectUrl(),
          scope: entry?.scope ?? null,
          parameters: entry?.authorizationParameters ?? {},
          read: async () => (await vault.read(userId, key)).oauth,
          change: (edit) => vault.change(userId, key, (all) => ({ ...all, oauth: edit(all.oauth) })),
          signIn: signIn ?? null,
        }),
      }
    },
  }
}

const mergeCatalogue = (stored: StoredServer): StoredServer => ({
  ...stored,
  target: stored.target ?? integrationCatalogue().get(stored.key)?.target ?? null,
})

const createUnlinkedServer = (key: string, name: string, target: ServerTarget | null): StoredServer => ({
  key,
  name,
  target,
  linkedAt: null,
  signedOut: false,
  approved: [],
  offer: { definitions: [], refused: [] },
  readTools: [],
  offTools: [],
  held: false,
})
