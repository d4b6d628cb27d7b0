import { finishLinkRoute } from "../../../shared/app-routes.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import {
  type FunctionMark,
  type Integration,
  type IntegrationSignIn,
  type IntegrationSummary,
  type ServerChange,
  type ServerDraft,
} from "../../../shared/contract/integrations.ts"
import type { BoxValues } from "../../core/database/box-values.ts"
import type { DbOf } from "../../core/database/database.ts"
import type { HeldItems } from "../../core/held-items.ts"
import { lazy } from "../../core/lazy.ts"
import { createKeyedLock } from "../../core/waiting/locks.ts"
import type { Logger } from "../../core/logging/logger.ts"
import type { Outbound } from "../../core/outbound/outbound.ts"
import type { SecretStore } from "../../core/secret-store.ts"
import { createConnections } from "../../tools/mcp/connections.ts"
import { refusalOfServer, createServerFetches } from "../../tools/mcp/server.ts"
import type { Integrations } from "../../tools/registry.ts"
import { createFunctions } from "./functions.ts"
import { createHealth, createRecheck } from "./health.ts"
import { nothingApproved, toApprovalPatch, toMarkPatch, createServerStore } from "./store.ts"
import { createServers, isServerOf, serverId, splitServerId } from "./servers.ts"
import type { Answer, SignInInitiator } from "./sign-in/sign-ins.ts"
import { createVault, restoredTargetsKey } from "./vault.ts"
import { createViews } from "./views.ts"

export interface IntegrationsDeps {
  db: DbOf<"integrations">
  values: Pick<BoxValues, "read">
  secrets: SecretStore
  outbound: Outbound
  logger: Logger
  isOwner(userId: string): Promise<boolean>
  getName(userId: string): Promise<string>
  /** Notifies a user that one of their servers was disconnected because it offers something else now. */
  changed(userId: string, server: { key: string; name: string }): void
  /** Port of this server, to which providers redirect browsers. */
  port(): number
}

/** Connections to tools of other programs over the Model Context Protocol. Every connection belongs to one user. */
export interface IntegrationService extends AsyncDisposable {
  /** Removes what is left of servers that were being removed or added when the process was killed. */
  sweep(): Promise<void>
  list(userId: string): Promise<IntegrationSummary[]>
  /** Throws `not_found`. */
  read(userId: string, key: string): Promise<Integration>
  /** Throws `conflict` if the name is taken, and `validation` or `forbidden` for a target that this user may not connect to. */
  add(userId: string, draft: ServerDraft): Promise<Integration>
  update(userId: string, key: string, change: ServerChange): Promise<Integration>
  remove(userId: string, key: string): Promise<void>
  link(
    initiator: SignInInitiator,
    key: string,
    consent: string | undefined,
  ): Promise<{ integration: Integration; authorizationUrl: string | null }>
  /** Describes a sign-in to anyone who has its `state`; `own` is true if this session or key started it. */
  signIn(state: string, credentialId: string | null): Promise<IntegrationSignIn>
  /**
   * Returns the page that a browser opens after it comes back from a provider; the page asks for confirmation. Throws an error to show to
   * the user.
   */
  handleCallback(answer: Answer & { state?: string | undefined; error?: string | undefined }): Promise<string>
  handOver(state: string, answer: Answer): Promise<void>
  /** Connects the server that an answer is for, after its user has confirmed. */
  finish(
    bringer: Pick<SignInInitiator, "userId" | "credentialId">,
    state: string,
    answer: Answer,
  ): Promise<Integration>
  unlink(userId: string, key: string): Promise<Integration>
  /** Ends the connections and processes of these users' servers; the servers stay connected in the settings. */
  disconnect(userIds: readonly string[]): Promise<void>
  /** Ends the connections and programs that local-only mode forbids. */
  endRefused(): Promise<void>
  /** Checks the server now. A failure is reported in the result's `problem`. */
  check(userId: string, key: string): Promise<Integration>
  /** Throws `conflict` if the server no longer offers one of the hashes. */
  approve(userId: string, key: string, hashes: readonly string[]): Promise<Integration>
  /** Throws `not_found` for a tool that isn't in use. */
  mark(userId: string, key: string, mark: FunctionMark): Promise<Integration>
  readonly held: HeldItems
  /** Functions that the tool registry needs. */
  readonly functions: Integrations
}

const checkMs = 60_000
const callbackPath = "/api/public/integrations/callback"

export function createIntegrations(deps: IntegrationsDeps): IntegrationService {
  const { db, values, secrets, outbound, logger, isOwner, getName, changed, port } = deps
  const resources = new AsyncDisposableStack()
  const store = createServerStore(db)
  const getTarget = async (userId: string, key: string) => {
    const stored = await store.find(userId, key)
    return stored && JSON.stringify(stored.target)
  }
  const isRestored = async () => (await values.read(restoredTargetsKey)) !== null
  const vault = createVault(secrets, getTarget, isRestored)
  const fetches = resources.use(createServerFetches(outbound))
  const connections = resources.use(
    createConnections({ fetches, outbound, logger, onChange: (server) => recheckServer(server) }),
  )
  const redirectUrl = () => `http://127.0.0.1:${port()}${callbackPath}`
  const servers = createServers({ store, vault, isOwner, redirectUrl })
  const marks = createKeyedLock()
  const health = createHealth({ store, connections, logger, onChanged: changed })
  const recheckServer = createRecheck({ health, connections, logger })
  const linking = lazy(async () => {
    const { createLinking } = await import("./linking.ts")
    return createLinking({ servers, store, vault, connections, health, fetches, redirectUrl, logger })
  })
  const views = createViews({ servers, vault, health, outbound, redirectUrl })
  const { read } = views
  const edits = lazy(async () => {
    const { createServerEdits } = await import("./edit-servers.ts")
    return createServerEdits({ servers, store, vault, linking: await linking(), logger })
  })

  return {
    sweep: vault.sweep,

    list: views.list,
    read,

    async add(userId, draft) {
      return read(userId, await (await edits()).add(userId, draft))
    },
    async update(userId, key, change) {
      await (await edits()).update(userId, key, change)
      return read(userId, key)
    },
    remove: async (userId, key) => (await edits()).remove(userId, key),

    disconnect: (userIds) =>
      connections.endMatching(({ id }) => userIds.some((userId) => isServerOf(userId, id))),

    endRefused: () => connections.endMatching(({ target }) => refusalOfServer(outbound, target) !== null),

    async link(initiator, key, consent) {
      const authorizationUrl = await (await linking()).link(initiator, key, consent)
      return { integration: await read(initiator.userId, key), authorizationUrl }
    },

    async signIn(state, credentialId) {
      const { userId, key, inApp, answer, credentialId: startedBy } = (await linking()).signIn(state)
      const { name } = await servers.find(userId, key)
      const own = startedBy === credentialId
      return { integration: name, person: await getName(userId), own, inApp, answered: answer !== null }
    },

    async handleCallback({ state = "", code, iss, error }) {
      const { signIn, refused } = await linking()
      const { origin } = signIn(state)
      if (error !== undefined || code === undefined) return refused(state)
      const found = new URLSearchParams({ state, code, ...(iss === undefined ? {} : { iss }) })
      return `${origin}/#${finishLinkRoute}?${found.toString()}`
    },
    handOver: async (state, answer) => (await linking()).handOver(state, answer),
    finish: async (bringer, state, answer) =>
      read(bringer.userId, await (await linking()).finish(bringer, state, answer)),

    async unlink(userId, key) {
      await servers.claim(userId, key)
      await (await linking()).unlink(userId, key)
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
      await store.change(userId, key, toApprovalPatch(await servers.find(userId, key), hashes))
      return read(userId, key)
    },

    mark: (userId, key, mark) =>
      marks.run(serverId(userId, key), async () => {
        await store.change(userId, key, toMarkPatch(await servers.find(userId, key), mark))
        return read(userId, key)
      }),

    held: {
      list: async () => (await import("./held-servers.ts")).listHeldServers(db),
      async turnOn(id) {
        const { ownerId, key } = splitServerId(id)
        await (await linking()).turnOnHeld(ownerId, key)
      },
      async leaveOff(id) {
        const { ownerId, key } = splitServerId(id)
        await store.change(ownerId, key, { held: false, ...nothingApproved })
      },
    },

    functions: createFunctions({ servers, health, outbound }),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
