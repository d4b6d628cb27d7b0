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
import { type Connections, createConnections } from "../../tools/mcp/connections.ts"
import { refusalOfServer, createServerFetches, type ServerFetches } from "../../tools/mcp/server.ts"
import type { Integrations } from "../../tools/registry.ts"
import type { ServerEdits } from "./edit-servers.ts"
import { createFunctions } from "./functions.ts"
import { createHealth, createRecheck, type Health } from "./health.ts"
import type { Linking } from "./linking.ts"
import {
  nothingApproved,
  toApprovalPatch,
  toMarkPatch,
  createServerStore,
  type ServerStore,
} from "./store.ts"
import { createServers, type Servers, isServerOf, serverId, splitServerId } from "./servers.ts"
import type { Answer, SignInInitiator } from "./sign-in/sign-ins.ts"
import { createVault, restoredTargetsKey, type Vault } from "./vault.ts"
import { createViews, type Views } from "./views.ts"

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

export const createIntegrations = (deps: IntegrationsDeps): IntegrationService => new ServerIntegrations(deps)

class ServerIntegrations implements IntegrationService {
  readonly #deps: IntegrationsDeps
  readonly #resources = new AsyncDisposableStack()
  readonly #store: ServerStore
  readonly #vault: Vault
  readonly #fetches: ServerFetches
  readonly #connections: Connections
  readonly #servers: Servers
  readonly #marks = createKeyedLock()
  readonly #health: Health
  readonly #views: Views
  readonly #linking = lazy(() => this.#openLinking())
  readonly #edits = lazy(() => this.#openEdits())
  readonly held: HeldItems
  readonly functions: Integrations

  constructor(deps: IntegrationsDeps) {
    const { db, values, secrets, outbound, logger, isOwner, changed } = deps
    const store = createServerStore(db)
    const getTarget = async (userId: string, key: string) => {
      const stored = await store.find(userId, key)
      return stored && JSON.stringify(stored.target)
    }
    const redirectUrl = () => this.#redirectUrl()
    this.#deps = deps
    this.#store = store
    this.#vault = createVault(
      secrets,
      getTarget,
      async () => (await values.read(restoredTargetsKey)) !== null,
    )
    this.#fetches = this.#resources.use(createServerFetches(outbound))
    this.#connections = this.#resources.use(
      createConnections({ fetches: this.#fetches, outbound, logger, onChange: (server) => recheck(server) }),
    )
    this.#servers = createServers(store, this.#vault, isOwner, redirectUrl)
    this.#health = createHealth(store, this.#connections, logger, changed)
    const recheck = createRecheck(this.#health, this.#connections, logger)
    this.#views = createViews({
      servers: this.#servers,
      vault: this.#vault,
      health: this.#health,
      outbound,
      redirectUrl,
    })
    this.held = {
      list: async () => (await import("./held-servers.ts")).listHeldServers(db),
      turnOn: (id) => this.#turnOnHeld(id),
      leaveOff: (id) => this.#leaveOffHeld(id),
    }
    this.functions = createFunctions(this.#servers, this.#health, outbound)
  }

  #redirectUrl(): string {
    return `http://127.0.0.1:${this.#deps.port()}${callbackPath}`
  }

  async #openLinking(): Promise<Linking> {
    const { createLinking } = await import("./linking.ts")
    return createLinking({
      servers: this.#servers,
      store: this.#store,
      vault: this.#vault,
      connections: this.#connections,
      health: this.#health,
      fetches: this.#fetches,
      redirectUrl: () => this.#redirectUrl(),
      logger: this.#deps.logger,
    })
  }

  async #openEdits(): Promise<ServerEdits> {
    const { createServerEdits } = await import("./edit-servers.ts")
    return createServerEdits({
      servers: this.#servers,
      store: this.#store,
      vault: this.#vault,
      linking: await this.#linking(),
      logger: this.#deps.logger,
    })
  }

  sweep(): Promise<void> {
    return this.#vault.sweep()
  }

  list(userId: string): Promise<IntegrationSummary[]> {
    return this.#views.list(userId)
  }

  read(userId: string, key: string): Promise<Integration> {
    return this.#views.read(userId, key)
  }

  async add(userId: string, draft: ServerDraft): Promise<Integration> {
    return this.#views.read(userId, await (await this.#edits()).add(userId, draft))
  }

  async update(userId: string, key: string, change: ServerChange): Promise<Integration> {
    await (await this.#edits()).update(userId, key, change)
    return this.#views.read(userId, key)
  }

  async remove(userId: string, key: string): Promise<void> {
    return (await this.#edits()).remove(userId, key)
  }

  disconnect(userIds: readonly string[]): Promise<void> {
    return this.#connections.endMatching(({ id }) => userIds.some((userId) => isServerOf(userId, id)))
  }

  endRefused(): Promise<void> {
    return this.#connections.endMatching(
      ({ target }) => refusalOfServer(this.#deps.outbound, target) !== null,
    )
  }

  async link(initiator: SignInInitiator, key: string, consent: string | undefined) {
    const authorizationUrl = await (await this.#linking()).link(initiator, key, consent)
    return { integration: await this.#views.read(initiator.userId, key), authorizationUrl }
  }

  async signIn(state: string, credentialId: string | null): Promise<IntegrationSignIn> {
    const { userId, key, inApp, answer, credentialId: startedBy } = (await this.#linking()).signIn(state)
    const { name } = await this.#servers.find(userId, key)
    const own = startedBy === credentialId
    return {
      integration: name,
      person: await this.#deps.getName(userId),
      own,
      inApp,
      answered: answer !== null,
    }
  }

  async handleCallback({
    state = "",
    code,
    iss,
    error,
  }: Answer & { state?: string | undefined; error?: string | undefined }): Promise<string> {
    const linking = await this.#linking()
    const { origin } = linking.signIn(state)
    if (error !== undefined || code === undefined) return linking.refused(state)
    const found = new URLSearchParams({ state, code, ...(iss === undefined ? {} : { iss }) })
    return `${origin}/#${finishLinkRoute}?${found.toString()}`
  }

  async handOver(state: string, answer: Answer): Promise<void> {
    return (await this.#linking()).handOver(state, answer)
  }

  async finish(
    bringer: Pick<SignInInitiator, "userId" | "credentialId">,
    state: string,
    answer: Answer,
  ): Promise<Integration> {
    return this.#views.read(bringer.userId, await (await this.#linking()).finish(bringer, state, answer))
  }

  async unlink(userId: string, key: string): Promise<Integration> {
    await this.#servers.claim(userId, key)
    await (await this.#linking()).unlink(userId, key)
    await this.#vault.change(userId, key, (all) => ({ ...all, token: null }))
    return this.#views.read(userId, key)
  }

  async check(userId: string, key: string): Promise<Integration> {
    const stored = await this.#servers.find(userId, key)
    if (stored.linkedAt === null) throw new AppError("conflict", sentence("integrations.not_linked"))
    const server = await this.#servers.prepare(userId, stored)
    await this.#health
      .use(userId, server, AbortSignal.timeout(checkMs), () => Promise.resolve(), { fresh: true })
      .catch((error: unknown) => {
        if (!(error instanceof AppError)) throw error
      })
    return this.#views.read(userId, key)
  }

  async approve(userId: string, key: string, hashes: readonly string[]): Promise<Integration> {
    await this.#store.change(userId, key, toApprovalPatch(await this.#servers.find(userId, key), hashes))
    return this.#views.read(userId, key)
  }

  mark(userId: string, key: string, mark: FunctionMark): Promise<Integration> {
    return this.#marks.run(serverId(userId, key), async () => {
      await this.#store.change(userId, key, toMarkPatch(await this.#servers.find(userId, key), mark))
      return this.#views.read(userId, key)
    })
  }

  async #turnOnHeld(id: string): Promise<void> {
    const { ownerId, key } = splitServerId(id)
    await (await this.#linking()).turnOnHeld(ownerId, key)
  }

  async #leaveOffHeld(id: string): Promise<void> {
    const { ownerId, key } = splitServerId(id)
    await this.#store.change(ownerId, key, { held: false, ...nothingApproved })
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#resources.disposeAsync()
  }
}
