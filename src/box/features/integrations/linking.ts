import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { timestamp } from "../../core/ids.ts"
import { createKeyedLock } from "../../core/waiting/locks.ts"
import type { Logger } from "../../core/logging/logger.ts"
import { onBehalfOf } from "../../core/async-context.ts"
import type { Connections } from "../../tools/mcp/connections.ts"
import { NeedsSignIn, type Server, type ServerFetches } from "../../tools/mcp/server.ts"
import { consentFor } from "./views.ts"
import type { Health } from "./health.ts"
import {
  withDeadline,
  revokeSignIn,
  createSignIns,
  notLetIn,
  type Answer,
  type SignInInitiator,
  type PendingSignIn,
} from "./sign-in/sign-ins.ts"
import { serverId, type Servers } from "./servers.ts"
import { nothingApproved, type ServerPatch, type ServerStore, type StoredServer } from "./store.ts"
import type { Credentials, Vault } from "./vault.ts"

export interface LinkingDeps {
  servers: Servers
  store: ServerStore
  vault: Vault
  connections: Connections
  health: Health
  fetches: ServerFetches
  redirectUrl(): string
  logger: Logger
}

/** The session or key that brings an answer. */
type Bringer = Pick<SignInInitiator, "userId" | "credentialId">

export interface Linking {
  /** Connects a server. Returns the URL to open if the user has to sign in first. Throws `conflict` without consent to a command. */
  link(initiator: SignInInitiator, key: string, consent: string | undefined): Promise<string | null>
  /**
   * Connects a held server of a restored backup and approves what it offers now. A server that can't be reached or needs a sign-in is
   * turned on too; its user approves its tools later.
   */
  turnOnHeld(userId: string, key: string): Promise<void>
  /** The sign-in with this state. Throws `not_found`. */
  signIn(state: string): PendingSignIn
  /** Ends a sign-in that its provider refused. */
  refused(state: string): never
  /** Keeps an answer for the app's window, which asks its user. Throws `forbidden` if a browser started the sign-in. */
  handOver(state: string, answer: Answer): void
  /**
   * Exchanges an answer for a connection. Only the session or key that started the sign-in may do so; an attempt by any other ends the
   * sign-in. Returns the key of the connected server. Throws an error to show to the user.
   */
  finish(bringer: Bringer, state: string, answer: Answer): Promise<string>
  /** Ends the process or connection, and revokes the sign-in at its provider. */
  unlink(userId: string, key: string): Promise<void>
}

const limitMs = 90_000

export const createLinking = (deps: LinkingDeps): Linking => new LinkedAccounts(deps)

class LinkedAccounts implements Linking {
  readonly #deps: LinkingDeps
  readonly #signIns = createSignIns()
  readonly #lock = createKeyedLock()

  constructor(deps: LinkingDeps) {
    this.#deps = deps
  }

  link(initiator: SignInInitiator, key: string, consent: string | undefined): Promise<string | null> {
    return this.#lock.run(serverId(initiator.userId, key), async () => {
      const { userId } = initiator
      const stored = await this.#deps.servers.claim(userId, key)
      if (stored.held) throw new AppError("conflict", sentence("storage.held"))
      const wanted = consentFor(stored.target, (await this.#deps.vault.read(userId, key)).env)
      if (wanted !== null && consent !== wanted) {
        throw new AppError("conflict", sentence("integrations.consent_first"), {
          details: { consent: wanted },
        })
      }
      await this.#deps.connections.end(serverId(userId, key))
      this.#deps.health.forget(userId, key)
      if (stored.target?.kind === "http") await this.#forgetSignIn(userId, key)
      const signIn = this.#signIns.begin(initiator, key)
      const server = await this.#deps.servers.prepare(userId, stored, signIn)
      const signal = AbortSignal.timeout(limitMs)
      try {
        await this.#use(userId, server, signal)
      } catch (error) {
        if (!(error instanceof AppError) || !(error.cause instanceof NeedsSignIn)) throw error
        const { authorizationUrl } = signIn
        if (!authorizationUrl) throw signInUnavailable(server.token !== null)
        return openable(authorizationUrl, server.target.kind === "http" ? server.target.url : "")
      }
      this.#signIns.take(signIn.state)
      return null
    })
  }

  #forgetSignIn(userId: string, key: string) {
    return this.#deps.vault.change(userId, key, (all) => omitSignIn(all, this.#deps.redirectUrl()))
  }

  /** Reads what the server offers and connects it. */
  async #use(userId: string, server: Server, signal: AbortSignal): Promise<void> {
    await withDeadline(
      signal,
      this.#deps.health.use(userId, server, signal, async () => {
        await this.#deps.store.change(
          userId,
          server.key,
          linked(await this.#deps.servers.find(userId, server.key)),
        )
      }),
    )
  }

  turnOnHeld(userId: string, key: string): Promise<void> {
    return this.#lock.run(serverId(userId, key), async () => {
      // An older version may have restored the row with approvals from the backup.
      await this.#deps.store.change(userId, key, { held: false, linkedAt: null, ...nothingApproved })
      try {
        const server = await this.#deps.servers.prepare(userId, await this.#deps.servers.find(userId, key))
        const signal = AbortSignal.timeout(limitMs)
        await onBehalfOf({ userId }, () => this.#use(userId, server, signal))
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        await this.#deps.store.change(userId, key, { linkedAt: timestamp() })
      }
    })
  }

  signIn(state: string): PendingSignIn {
    return this.#signIns.require(state)
  }

  refused(state: string): never {
    return this.#fail(this.#signIns.require(state), notLetIn())
  }

  /** Ends a sign-in and records the error for the user who started it and is waiting in the app. */
  #fail({ state, userId, key }: PendingSignIn, error: AppError): never {
    this.#signIns.take(state)
    this.#deps.health.fail(userId, key, error.sentence)
    throw error
  }

  handOver(state: string, answer: Answer): void {
    const signIn = this.#signIns.require(state)
    if (!signIn.inApp) this.#fail(signIn, notYours())
    if (signIn.answer) this.#fail(signIn, new AppError("conflict", sentence("integrations.answered_twice")))
    signIn.answer = answer
  }

  async finish({ userId, credentialId }: Bringer, state: string, answer: Answer): Promise<string> {
    const signIn = this.#signIns.require(state)
    if (signIn.userId !== userId || signIn.credentialId !== credentialId) this.#fail(signIn, notYours())
    this.#signIns.take(state)
    const { key } = signIn
    try {
      await onBehalfOf({ userId }, () =>
        this.#lock.run(serverId(userId, key), () => this.#endSignIn(signIn, signIn.answer ?? answer)),
      )
    } catch (failure) {
      if (failure instanceof AppError) this.#deps.health.fail(userId, key, failure.sentence)
      throw failure
    }
    return key
  }

  async #endSignIn(signIn: PendingSignIn, answer: Answer): Promise<void> {
    const signal = AbortSignal.timeout(limitMs)
    const { exchangeCode } = await import("./sign-in/exchange-code.ts")
    await this.#use(signIn.userId, await exchangeCode(this.#deps, signIn, answer, signal), signal)
  }

  unlink(userId: string, key: string): Promise<void> {
    return this.#lock.run(serverId(userId, key), async () => {
      this.#signIns.forget(userId, key)
      await this.#deps.connections.end(serverId(userId, key))
      await revokeSignIn(this.#deps, userId, key)
      await this.#forgetSignIn(userId, key)
      await this.#deps.store.change(userId, key, { linkedAt: null, signedOut: false })
      this.#deps.health.forget(userId, key)
    })
  }
}

const notYours = () => new AppError("forbidden", sentence("integrations.other_began"))

const signInUnavailable = (hasToken: boolean) =>
  new AppError("unavailable", sentence(hasToken ? "integrations.token_refused" : "integrations.no_sign_in"))

/** The first connection approves everything the server offers. Later, the approved definitions stay valid. */
const linked = ({ approved, offer }: StoredServer): ServerPatch => ({
  linkedAt: timestamp(),
  signedOut: false,
  ...(approved.length === 0 ? { approved: offer.definitions } : {}),
})

/** Removes everything from an earlier sign-in, including a client registered for another redirect URL. */
function omitSignIn(all: Credentials, redirectUrl: string): Credentials {
  const { client, clientIsGiven, redirectUrl: registered } = all.oauth
  const shouldKeepClient = client !== undefined && (clientIsGiven === true || registered === redirectUrl)
  const oauth = shouldKeepClient ? { client, ...(clientIsGiven ? { clientIsGiven } : { redirectUrl }) } : {}
  return { ...all, oauth }
}

/** The server chooses the URL that its user's browser opens. Only web pages are allowed: HTTPS, or HTTP on the server's own origin. */
function openable(url: URL, server: string): string {
  if (url.protocol === "https:" || (url.protocol === "http:" && url.origin === new URL(server).origin))
    return url.href
  throw new AppError("forbidden", sentence("integrations.unsafe_sign_in"))
}
