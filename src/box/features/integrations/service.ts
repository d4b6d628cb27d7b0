import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import {
  finishLinkRoute,
  type FunctionMark,
  type Integration,
  type IntegrationSignIn,
  type IntegrationSummary,
  type ServerChange,
  type ServerDraft,
} from "../../../shared/contract/integrations.ts"
import type { DbOf } from "../../core/database/database.ts"
import { createKeyedLock } from "../../core/waiting/keyed-lock.ts"
import type { Logger } from "../../core/logging/logger.ts"
import type { Outbound } from "../../core/outbound/outbound.ts"
import { onBehalfOf } from "../../core/outbound/on-behalf-of.ts"
import type { SecretStore } from "../../core/secret-store.ts"
import { createConnections } from "../../tools/mcp/connections.ts"
import { refusalOfServer } from "../../tools/mcp/refusal.ts"
import type { Server } from "../../tools/mcp/server.ts"
import { createServerFetches } from "../../tools/mcp/server-fetch.ts"
import type { Integrations } from "../../tools/registry.ts"
import { changesOf, usable } from "./changes.ts"
import { createFunctions } from "./functions.ts"
import { applyCredentials } from "./apply-credentials.ts"
import { createHealth } from "./health.ts"
import { createLinking } from "./linking.ts"
import { present, presentSummary } from "./present.ts"
import { keyOfName } from "./server-key.ts"
import { createServers, isServerOf, ownerOf, serverId } from "./servers.ts"
import type { Answer, Beginner } from "./sign-ins.ts"
import { createServerStore, type StoredServer } from "./store.ts"
import { createVault, noCredentials } from "./vault.ts"

export interface IntegrationsDeps {
  db: DbOf<"integrations">
  secrets: SecretStore
  outbound: Outbound
  logger: Logger
  isOwner(userId: string): Promise<boolean>
  nameOf(userId: string): Promise<string>
  /** Tells somebody that a server of theirs was unlinked, because it offers something else now. */
  changed(userId: string, server: { key: string; name: string }): void
  /** Port that the box listens on: providers send browsers back to it. */
  port(): number
}

/** Connections to other programs' functions over the Model Context Protocol. Everything is one user's own. */
export interface IntegrationService extends AsyncDisposable {
  /** Forgets what a box that was killed left of servers that it removed, or was adding. */
  sweep(): Promise<void>
  list(userId: string): Promise<IntegrationSummary[]>
  /** Throws `not_found`. */
  read(userId: string, key: string): Promise<Integration>
  /** Throws `conflict` for a name that is taken, `validation` and `forbidden` for what this user may not connect to. */
  add(userId: string, draft: ServerDraft): Promise<Integration>
  update(userId: string, key: string, change: ServerChange): Promise<Integration>
  remove(userId: string, key: string): Promise<void>
  link(
    beginner: Beginner,
    key: string,
    consent: string | undefined,
  ): Promise<{ integration: Integration; authorizationUrl: string | null }>
  /** What a sign-in is for, to whoever has its `state`; `own` where this very session or key began it. */
  signIn(state: string, credentialId: string | null): Promise<IntegrationSignIn>
  /** Where the browser goes on that comes back from a provider: to the page, which asks. Throws what to tell the user. */
  comeBack(answer: Answer & { state?: string | undefined; error?: string | undefined }): string
  handOver(state: string, answer: Answer): void
  /** Links what an answer is for, once its user has said so. */
  finish(
    bringer: Pick<Beginner, "userId" | "credentialId">,
    state: string,
    answer: Answer,
  ): Promise<Integration>
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
/** In a row, of a server that announces changes while it is looked at. */
const mostLooks = 5
const callbackPath = "/api/public/integrations/callback"

export function createIntegrations({
  db,
  secrets,
  outbound,
  logger,
  isOwner,
  nameOf,
  changed,
  port,
}: IntegrationsDeps): IntegrationService {
  const resources = new AsyncDisposableStack()
  const store = createServerStore(db)
  const vault = createVault(secrets, async (userId, key) => {
    const stored = await store.find(userId, key)
    return stored && JSON.stringify(stored.target)
  })
  const fetches = resources.use(createServerFetches(outbound))
  const connections = resources.use(createConnections({ fetches, outbound, logger, onChange: lookAgain }))
  const redirectUrl = () => `http://127.0.0.1:${port()}${callbackPath}`
  const servers = createServers({ store, vault, isOwner, redirectUrl })
  const marking = createKeyedLock()
  /** Servers that are being looked at, and whether they have announced something since. */
  const looking = new Map<string, boolean>()
  const health = createHealth({ store, connections, logger, onChanged: changed })
  const linking = createLinking({ servers, store, vault, connections, health, fetches, redirectUrl, logger })

  /** A server that announces a change is looked at when it does so, not when it is next used. */
  function lookAgain(server: Server): void {
    if (looking.has(server.id)) looking.set(server.id, true)
    else void look(server).finally(() => looking.delete(server.id))
  }

  /** Looks until it has announced nothing meanwhile. A server that always does is ended. */
  async function look(server: Server): Promise<void> {
    const signal = AbortSignal.timeout(checkMs)
    try {
      for (let looks = 0; looks < mostLooks; looks++) {
        looking.set(server.id, false)
        await onBehalfOf({ userId: ownerOf(server.id) }, () =>
          health.use(ownerOf(server.id), server, signal, () => Promise.resolve(), { fresh: true }),
        )
        if (looking.get(server.id) !== true) return
      }
      await connections.end(server.id)
    } catch (error) {
      logger.info({ err: error, key: server.key }, "A changed server wasn't read")
    }
  }

  async function show(userId: string, server: StoredServer) {
    const credentials = await vault.read(userId, server.key)
    const refusal = server.linkedAt !== null && server.target && refusalOfServer(outbound, server.target)
    const problem = refusal ? refusal.message : health.problem(userId, server.key)
    return { server, credentials, problem, redirectUrl: redirectUrl() }
  }
  const read = async (userId: string, key: string) =>
    present(await show(userId, await servers.find(userId, key)))

  return {
    sweep: vault.sweep,

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
        throw new AppError("conflict", sentence("integrations.name_taken", { key }))
      if (stored.length >= mostServers)
        throw new AppError("conflict", sentence("integrations.too_many", { count: mostServers }))
      const given = applyCredentials(noCredentials, credentials)
      await vault.add(userId, key, given, () => store.insert(userId, key, name, target))
      return read(userId, key)
    },

    async update(userId, key, { target, ...credentials }) {
      if (target) await servers.requireAllowed(userId, target)
      const before = await servers.claim(userId, key)
      await linking.unlink(userId, key)
      if (target && JSON.stringify(target) !== JSON.stringify(before.target)) {
        // Nothing that was given to the one server goes to another.
        const given = applyCredentials(noCredentials, credentials)
        const offer = { definitions: [], refused: [] }
        await vault.exchange(userId, key, JSON.stringify(target), given, () =>
          store.change(userId, key, { target, approved: [], offer, readTools: [], offTools: [] }),
        )
      } else await vault.change(userId, key, (all) => applyCredentials(all, credentials))
      return read(userId, key)
    },

    endOf: (userIds) => connections.endThose(({ id }) => userIds.some((userId) => isServerOf(userId, id))),

    endRefused: () => connections.endThose(({ target }) => refusalOfServer(outbound, target) !== null),

    async remove(userId, key) {
      await servers.claim(userId, key)
      await linking.unlink(userId, key)
      await store.remove(userId, key)
      await vault.forget(userId, key).catch((error: unknown) => {
        logger.warn({ err: error, key }, "What a removed server was given goes at the next start")
      })
    },

    async link(beginner, key, consent) {
      const authorizationUrl = await linking.link(beginner, key, consent)
      return { integration: await read(beginner.userId, key), authorizationUrl }
    },

    async signIn(state, credentialId) {
      const { userId, key, inApp, answer, credentialId: begunBy } = linking.signIn(state)
      const { name } = await servers.find(userId, key)
      const own = begunBy === credentialId
      return { integration: name, person: await nameOf(userId), own, inApp, answered: answer !== null }
    },

    comeBack({ state = "", code, iss, error }) {
      const { origin } = linking.signIn(state)
      if (error !== undefined || code === undefined) return linking.refused(state)
      const found = new URLSearchParams({ state, code, ...(iss === undefined ? {} : { iss }) })
      return `${origin}/#${finishLinkRoute}?${found.toString()}`
    },
    handOver: linking.handOver,
    finish: async (bringer, state, answer) =>
      read(bringer.userId, await linking.finish(bringer, state, answer)),

    async unlink(userId, key) {
      await servers.claim(userId, key)
      await linking.unlink(userId, key)
      await vault.change(userId, key, (all) => ({ ...all, token: null }))
      return read(userId, key)
    },

    async check(userId, key) {
      const stored = await servers.find(userId, key)
      if (stored.linkedAt === null) throw new AppError("conflict", sentence("integrations.not_linked"))
      const server = await servers.prepare(userId, stored)
      await health
        .use(userId, server, AbortSignal.timeout(checkMs), () => Promise.resolve(), { fresh: true })
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
          throw new AppError("not_found", sentence("integrations.no_function"))
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
