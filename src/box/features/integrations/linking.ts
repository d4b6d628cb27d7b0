import { auth } from "@modelcontextprotocol/sdk/client/auth.js"
import { AppError } from "../../../shared/contract/errors.ts"
import { timestamp } from "../../core/ids.ts"
import { createKeyedLock } from "../../core/keyed-lock.ts"
import type { Logger } from "../../core/logger.ts"
import { onBehalfOf } from "../../core/outbound/on-behalf-of.ts"
import type { Connections } from "../../tools/mcp/connections.ts"
import { explain } from "../../tools/mcp/explain.ts"
import { NeedsSignIn } from "../../tools/mcp/server.ts"
import type { ServerFetches } from "../../tools/mcp/server-fetch.ts"
import { consentFor } from "./consent.ts"
import type { Health } from "./health.ts"
import { revokeTokens } from "./revoke.ts"
import { serverId, type Servers } from "./servers.ts"
import { createSignIns, type PendingSignIn } from "./sign-ins.ts"
import type { ServerStore } from "./store.ts"
import type { Vault } from "./vault.ts"

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

/** What a provider sent the browser back with (RFC 6749 4.1.2, RFC 9207). */
export interface Answer {
  state?: string | undefined
  code?: string | undefined
  iss?: string | undefined
  error?: string | undefined
}

export interface Linking {
  /** Links; the address to open where the user has to sign in first. Throws `conflict` without consent to a command. */
  link(userId: string, key: string, consent: string | undefined): Promise<string | null>
  /** Ends a sign-in; the name of what is linked now. Throws what to tell the user. */
  complete(answer: Answer): Promise<string>
  /** Ends the process or connection, and the sign-in at its provider. */
  unlink(userId: string, key: string): Promise<void>
}

/** Metadata that the SDK hands on and doesn't type (RFC 9207). */
interface Said {
  authorization_response_iss_parameter_supported?: unknown
}

const limitMs = 90_000

export function createLinking(deps: LinkingDeps): Linking {
  const { servers, store, vault, connections, health, fetches, redirectUrl, logger } = deps
  const signIns = createSignIns()
  const lock = createKeyedLock()

  /** The first time, what the server offers is what its user links; later, what was approved stays what counts. */
  async function accept(userId: string, key: string): Promise<void> {
    const { approved, offer } = await servers.find(userId, key)
    await store.change(userId, key, {
      linkedAt: timestamp(),
      signedOut: false,
      ...(approved.length === 0 ? { approved: offer.definitions } : {}),
    })
  }

  /** Nothing of an earlier sign-in is used in a new one, nor a client that was registered for another address. */
  const forgetSignIn = (userId: string, key: string) =>
    vault.change(userId, key, (all) => {
      const { client, clientIsGiven, redirectUrl: registered } = all.oauth
      const keepsClient = client !== undefined && (clientIsGiven === true || registered === redirectUrl())
      const oauth = keepsClient
        ? { client, ...(clientIsGiven ? { clientIsGiven } : { redirectUrl: redirectUrl() }) }
        : {}
      return { ...all, oauth }
    })

  async function revoke(userId: string, key: string): Promise<void> {
    const { target } = await servers.find(userId, key)
    if (target?.kind !== "http") return
    const { oauth } = await vault.read(userId, key)
    await revokeTokens(oauth, fetches.of(target.url, AbortSignal.timeout(limitMs))).catch((error: unknown) =>
      logger.warn({ err: error, key }, "A provider wasn't told that a sign-in ended"),
    )
  }

  /** Takes what the provider sent the browser back with; the name of what is linked now. */
  async function endSignIn(signIn: PendingSignIn, { code, iss, error }: Answer): Promise<string> {
    const { userId, key } = signIn
    if (error !== undefined || code === undefined)
      throw new AppError("conflict", "The provider didn't let Casella in.")
    const stored = await servers.find(userId, key)
    const server = await servers.prepare(userId, stored, signIn)
    if (server.target.kind !== "http") throw new AppError("conflict", "It is no server elsewhere any more.")
    const serverUrl = server.target.url
    const metadata = (await vault.read(userId, key)).oauth.discovery?.authorizationServerMetadata
    const saysWho = (metadata as Said | undefined)?.authorization_response_iss_parameter_supported === true
    if ((iss !== undefined || saysWho) && iss !== metadata?.issuer)
      throw new AppError("conflict", "The answer didn't come from where you were sent to sign in.")
    const signal = AbortSignal.timeout(limitMs)
    const fetchFn = fetches.of(serverUrl, signal)
    await within(signal, auth(server.auth, { serverUrl, authorizationCode: code, fetchFn })).catch(
      (cause: unknown) => {
        throw explain(cause)
      },
    )
    await within(
      signal,
      health.use(userId, server, signal, () => accept(userId, key)),
    )
    return stored.name
  }

  return {
    link: (userId, key, consent) =>
      lock.run(serverId(userId, key), async () => {
        const stored = await servers.claim(userId, key)
        const wanted = consentFor(stored.target, (await vault.read(userId, key)).env)
        if (wanted !== null && consent !== wanted) {
          const message = "This starts a program on this computer: consent to exactly its command first."
          throw new AppError("conflict", message, { details: { consent: wanted } })
        }
        await connections.end(serverId(userId, key))
        health.forget(userId, key)
        if (stored.target?.kind === "http") await forgetSignIn(userId, key)
        const signIn = signIns.begin(userId, key)
        const server = await servers.prepare(userId, stored, signIn)
        const signal = AbortSignal.timeout(limitMs)
        try {
          await within(
            signal,
            health.use(userId, server, signal, () => accept(userId, key)),
          )
        } catch (error) {
          if (!(error instanceof AppError) || !(error.cause instanceof NeedsSignIn)) throw error
          const { authorizationUrl } = signIn
          if (!authorizationUrl) throw noWayIn(server.token !== null)
          return openable(authorizationUrl, server.target.kind === "http" ? server.target.url : "")
        }
        signIns.take(signIn.state)
        return null
      }),

    async complete({ state, ...answer }) {
      const signIn = signIns.take(state ?? "")
      if (!signIn) throw new AppError("not_found", "This sign-in has expired. Start it again in Casella.")
      const { userId, key } = signIn
      try {
        return await onBehalfOf({ userId }, () =>
          lock.run(serverId(userId, key), () => endSignIn(signIn, answer)),
        )
      } catch (failure) {
        // Whoever began it in the app waits there.
        if (failure instanceof AppError) health.fail(userId, key, failure.message)
        throw failure
      }
    },

    unlink: (userId, key) =>
      lock.run(serverId(userId, key), async () => {
        signIns.forget(userId, key)
        await connections.end(serverId(userId, key))
        await revoke(userId, key)
        await forgetSignIn(userId, key)
        await store.change(userId, key, { linkedAt: null, signedOut: false })
        health.forget(userId, key)
      }),
  }
}

/** Whatever a server does, whoever links it hears of it in time. */
async function within<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const onAbort = () => late.reject(new AppError("unavailable", "The server took too long."))
  signal.addEventListener("abort", onAbort, { once: true })
  return Promise.race([work, late.promise]).finally(() => signal.removeEventListener("abort", onAbort))
}

const noWayIn = (hasToken: boolean) =>
  new AppError(
    "unavailable",
    hasToken ? "The server doesn't take this token." : "The server wants a sign-in, but doesn't say where.",
  )

/** A server names the address that its user's browser is sent to: only ever a web page, encrypted unless it is the server's own. */
function openable(url: URL, server: string): string {
  if (url.protocol === "https:" || (url.protocol === "http:" && url.origin === new URL(server).origin))
    return url.href
  throw new AppError("forbidden", "The server sends its users to an address that isn't safe to open.")
}
