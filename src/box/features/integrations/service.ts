import { AppError } from "../../../shared/contract/errors.ts"
import type {
  FunctionMark,
  Integration,
  IntegrationSummary,
  ServerChange,
  ServerDraft,
} from "../../../shared/contract/integrations.ts"
import type { Database } from "../../core/database.ts"
import { createKeyedLock } from "../../core/keyed-lock.ts"
import type { Logger } from "../../core/logger.ts"
import type { Outbound } from "../../core/outbound/outbound.ts"
import type { SecretStore } from "../../core/secret-store.ts"
import { createConnections } from "../../tools/mcp/connections.ts"
import { refusalOfServer } from "../../tools/mcp/refusal.ts"
import { createServerFetches } from "../../tools/mcp/server-fetch.ts"
import type { Integrations } from "../../tools/registry.ts"
import { changesOf, usable } from "./changes.ts"
import { createFunctions } from "./functions.ts"
import { applyCredentials } from "./apply-credentials.ts"
import { createHealth } from "./health.ts"
import { createLinking, type Answer } from "./linking.ts"
import { present, presentSummary } from "./present.ts"
import { keyOfName } from "./server-key.ts"
import { createServers, isServerOf, serverId } from "./servers.ts"
import { createServerStore, type StoredServer } from "./store.ts"
import { createVault } from "./vault.ts"

export interface IntegrationsDeps {
  db: Database
  secrets: SecretStore
  outbound: Outbound
  logger: Logger
  isOwner(userId: string): Promise<boolean>
  /** Port that the box listens on: providers send browsers back to it. */
  port(): number
}

/** Connections to other programs' functions over the Model Context Protocol. Everything is one user's own. */
export interface IntegrationService extends AsyncDisposable {
  list(userId: string): Promise<IntegrationSummary[]>
  /** Throws `not_found`. */
  read(userId: string, key: string): Promise<Integration>
  /** Throws `conflict` for a name that is taken, `validation` and `forbidden` for what this user may not connect to. */
  add(userId: string, draft: ServerDraft): Promise<Integration>
  update(userId: string, key: string, change: ServerChange): Promise<Integration>
  remove(userId: string, key: string): Promise<void>
  link(
    userId: string,
    key: string,
    consent: string | undefined,
  ): Promise<{ integration: Integration; authorizationUrl: string | null }>
  /** Ends a sign-in that the browser comes back from; the name of what is linked now. */
  complete(answer: Answer): Promise<string>
  unlink(userId: string, key: string): Promise<Integration>
  /** Ends the connections and processes of these people's servers; they stay linked. */
  endOf(userIds: readonly string[]): Promise<void>
  /** Ends the connections and programs that local-only forbids. */
  endRefused(): Promise<void>
  /** Looks at the server now; what is wrong is in the answer's `problem`. */
  check(userId: string, key: string): Promise<Integration>
  /** Throws `conflict` when one of the hashes isn't offered any more. */
  approve(userId: string, key: string, hashes: readonly string[]): Promise<Integration>
  /** Throws `not_found` for a function that isn't in use. */
  mark(userId: string, key: string, mark: FunctionMark): Promise<Integration>
  /** What the tool registry needs. */
  readonly functions: Integrations
}

const mostServers = 50
const checkMs = 60_000
const callbackPath = "/api/public/integrations/callback"

export function createIntegrations({
  db,
  secrets,
  outbound,
  logger,
  isOwner,
  port,
}: IntegrationsDeps): IntegrationService {
  const resources = new AsyncDisposableStack()
  const store = createServerStore(db)
  const vault = createVault(secrets)
  const fetches = resources.use(createServerFetches(outbound))
  const connections = resources.use(createConnections({ fetches, outbound, logger }))
  const redirectUrl = () => `http://127.0.0.1:${port()}${callbackPath}`
  const servers = createServers({ store, vault, isOwner, redirectUrl })
  const marking = createKeyedLock()
  const health = createHealth({ store, connections, logger })
  const linking = createLinking({ servers, store, vault, connections, health, fetches, redirectUrl, logger })

  async function show(userId: string, server: StoredServer) {
    const credentials = await vault.read(userId, server.key)
    const refusal = server.linkedAt !== null && server.target && refusalOfServer(outbound, server.target)
    const problem = refusal ? refusal.message : health.problem(userId, server.key)
    return { server, credentials, problem, redirectUrl: redirectUrl() }
  }
  const read = async (userId: string, key: string) =>
    present(await show(userId, await servers.find(userId, key)))

  return {
    async list(userId) {
      const all = await servers.all(userId)
      return Promise.all(all.map(async (server) => presentSummary(await show(userId, server))))
    },
    read,

    async add(userId, { name, target, ...credentials }) {
      await servers.requireAllowed(userId, target)
      const key = keyOfName(name)
      const stored = await store.all(userId)
      if (stored.some((other) => other.key === key))
        throw new AppError("conflict", `There is a server named like that already: ${key}.`)
      if (stored.length >= mostServers)
        throw new AppError("conflict", `There are ${mostServers} servers already: remove some first.`)
      await vault.change(userId, key, (before) => applyCredentials(before, credentials))
      await store.insert(userId, key, name, target)
      return read(userId, key)
    },

    async update(userId, key, { target, ...credentials }) {
      if (target) await servers.requireAllowed(userId, target)
      const before = await servers.claim(userId, key)
      await linking.unlink(userId, key)
      if (target && JSON.stringify(target) !== JSON.stringify(before.target)) {
        // Nothing that was given to the one server goes to another.
        await vault.forget(userId, key)
        const offer = { definitions: [], refused: [] }
        await store.change(userId, key, { target, approved: [], offer, readTools: [], offTools: [] })
      }
      await vault.change(userId, key, (all) => applyCredentials(all, credentials))
      return read(userId, key)
    },

    endOf: (userIds) => connections.endThose(({ id }) => userIds.some((userId) => isServerOf(userId, id))),

    endRefused: () => connections.endThose(({ target }) => refusalOfServer(outbound, target) !== null),

    async remove(userId, key) {
      await servers.claim(userId, key)
      await linking.unlink(userId, key)
      await vault.forget(userId, key)
      await store.remove(userId, key)
    },

    async link(userId, key, consent) {
      const authorizationUrl = await linking.link(userId, key, consent)
      return { integration: await read(userId, key), authorizationUrl }
    },
    complete: linking.complete,

    async unlink(userId, key) {
      await servers.claim(userId, key)
      await linking.unlink(userId, key)
      await vault.change(userId, key, (all) => ({ ...all, token: null }))
      return read(userId, key)
    },

    async check(userId, key) {
      const stored = await servers.find(userId, key)
      if (stored.linkedAt === null) throw new AppError("conflict", "It isn't linked: link it first.")
      const server = await servers.prepare(userId, stored)
      await health
        .use(userId, server, AbortSignal.timeout(checkMs), () => Promise.resolve())
        .catch((error: unknown) => {
          if (!(error instanceof AppError)) throw error
        })
      return read(userId, key)
    },

    async approve(userId, key, hashes) {
      const stored = await servers.find(userId, key)
      const offered = new Set(changesOf(stored).map(({ hash }) => hash))
      if (stored.linkedAt === null || hashes.some((hash) => !offered.has(hash))) {
        const message = "What you approve isn't what the server offers now. Look at it again."
        throw new AppError("conflict", message)
      }
      const fresh = stored.offer.definitions.filter(({ hash }) => hashes.includes(hash))
      const kept = stored.approved.filter(({ name }) => !fresh.some((each) => each.name === name))
      // A function that became another one may do something else now.
      const readTools = stored.readTools.filter((name) => !fresh.some((each) => each.name === name))
      await store.change(userId, key, { approved: [...kept, ...fresh], readTools })
      return read(userId, key)
    },

    mark: (userId, key, { name, effect, enabled }) =>
      marking.run(serverId(userId, key), async () => {
        const stored = await servers.find(userId, key)
        const names = usable(stored).map((definition) => definition.name)
        if (name !== undefined && !names.includes(name))
          throw new AppError("not_found", "There is no such function in use.")
        const meant = name === undefined ? names : [name]
        const listed = (before: readonly string[], belongs: boolean) => [
          ...before.filter((other) => !meant.includes(other)),
          ...(belongs ? meant : []),
        ]
        await store.change(userId, key, {
          ...(effect !== undefined && { readTools: listed(stored.readTools, effect === "read") }),
          ...(enabled !== undefined && { offTools: listed(stored.offTools, !enabled) }),
        })
        return read(userId, key)
      }),

    functions: createFunctions({ servers, health, outbound }),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
