import { randomBytes } from "node:crypto"
import type { FetchLike } from "@modelcontextprotocol/client"
import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import type { Logger } from "../../../core/logging/logger.ts"
import { unlessAborted } from "../../../core/waiting/abort-and-timeout.ts"
import type { SignIn, OAuthRecord } from "../../../tools/mcp/oauth-session.ts"
import type { ServerFetches } from "../../../tools/mcp/server.ts"
import type { Servers } from "../servers.ts"
import type { Vault } from "../vault.ts"

/** Throws `unavailable` when the signal aborts, so that a slow server doesn't keep the user waiting. */
export const withDeadline = <T>(signal: AbortSignal, work: Promise<T>): Promise<T> =>
  unlessAborted(work, signal).catch((error: unknown) => {
    throw signal.aborted ? new AppError("unavailable", sentence("tools.server_too_slow")) : error
  })

/** The answer with which a provider sent the browser back (RFC 6749 4.1.2, RFC 9207). */
export interface Answer {
  code?: string | undefined
  iss?: string | undefined
}

/** The session or key that started a sign-in. Only it can finish the sign-in. */
export interface SignInInitiator {
  userId: string
  credentialId: string
  /** Origin of the page that asks for confirmation at the end. */
  origin: string
  /** Whether the desktop app's window started it: its user signs in through a browser without a session. */
  inApp: boolean
}

/** A sign-in in progress and the user it is for. */
export interface PendingSignIn extends SignIn, SignInInitiator {
  key: string
  /** In the time of `performance.now()`. */
  expiresAt: number
  /** The answer that a browser without a session handed to the app. */
  answer: Answer | null
}

const tenMinutes = 600_000
/** Maximum number per person. A further sign-in cancels the person's oldest one. */
const maxPending = 50

/** Sign-ins in progress, by the `state` that the provider sends back. Each can be used once. */
export function createSignIns() {
  const pending = new Map<string, PendingSignIn>()
  const forget = (unwanted: (signIn: PendingSignIn) => boolean) => {
    for (const [state, signIn] of pending) if (unwanted(signIn)) pending.delete(state)
  }
  const find = (state: string): PendingSignIn | null => {
    const signIn = pending.get(state) ?? null
    return signIn && signIn.expiresAt > performance.now() ? signIn : null
  }

  return {
    /** Starts a sign-in and cancels an earlier one for the same server. */
    begin(initiator: SignInInitiator, key: string): PendingSignIn {
      const { userId } = initiator
      forget(
        (other) => other.expiresAt <= performance.now() || (other.userId === userId && other.key === key),
      )
      const own = [...pending.values()].filter((other) => other.userId === userId)
      const [oldest] = own
      if (own.length >= maxPending && oldest) pending.delete(oldest.state)
      const state = randomBytes(32).toString("base64url")
      const signIn: PendingSignIn = {
        ...initiator,
        state,
        key,
        verifier: null,
        authorizationUrl: null,
        expiresAt: performance.now() + tenMinutes,
        answer: null,
      }
      pending.set(state, signIn)
      return signIn
    },

    /** The sign-in with this state. Throws `not_found` if there is none, or it has expired. */
    require(state: string): PendingSignIn {
      const signIn = find(state)
      if (signIn) return signIn
      throw new AppError("not_found", sentence("integrations.sign_in_expired"))
    },

    /** Removes and returns the sign-in with this state; null if there is none, or it has expired. */
    take(state: string): PendingSignIn | null {
      const signIn = find(state)
      pending.delete(state)
      return signIn
    },

    forget: (userId: string, key: string) =>
      forget((signIn) => signIn.userId === userId && signIn.key === key),
  }
}

export const notLetIn = () => new AppError("conflict", sentence("integrations.not_let_in"))

const limitMs = 5_000
/** Timeout in milliseconds for the whole revocation, including requests before it. */
const limitOfAllMs = 90_000

/** Ends a user's sign-in at the provider, if the provider can be reached. */
export async function revokeSignIn(
  {
    servers,
    vault,
    fetches,
    logger,
  }: {
    servers: Servers
    vault: Vault
    fetches: ServerFetches
    logger: Logger
  },
  userId: string,
  key: string,
): Promise<void> {
  const { target } = await servers.find(userId, key)
  if (target?.kind !== "http") return
  const { oauth } = await vault.read(userId, key)
  await revokeTokens(oauth, fetches.of(target.url, AbortSignal.timeout(limitOfAllMs))).catch(
    (error: unknown) =>
      logger.warn({ err: error, key }, "A provider couldn't be notified that a sign-in ended"),
  )
}

/**
 * Asks the provider to revoke a sign-in (RFC 7009) if it names an endpoint for that. The tokens are deleted whether or not the provider
 * complies.
 */
async function revokeTokens({ tokens, client, discovery }: OAuthRecord, fetch: FetchLike): Promise<void> {
  const metadata = discovery?.authorizationServerMetadata as { revocation_endpoint?: unknown } | undefined
  const endpoint = metadata?.revocation_endpoint
  const token = tokens?.refresh_token ?? tokens?.access_token
  if (typeof endpoint !== "string" || !token || !client) return
  const body = new URLSearchParams({ token, client_id: client.client_id })
  if (client.client_secret !== undefined) body.set("client_secret", client.client_secret)
  const response = await fetch(endpoint, { method: "POST", body, signal: AbortSignal.timeout(limitMs) })
  await response.body?.cancel()
}
