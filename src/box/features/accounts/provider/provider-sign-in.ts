import type { Request, Response } from "express"
import { signInRoute } from "../../../../shared/app-routes.ts"
import type { ProviderProblem } from "../../../../shared/contract/accounts.ts"
import { hashSecret, isSecretOf, newSecret } from "../../../core/ids.ts"
import type { Logger } from "../../../core/logging/logger.ts"
import { isLocalOnlyRefusal } from "../../../core/outbound/outbound.ts"
import { readCookie } from "../../../http/authenticate.ts"
import type { Sessions } from "../sessions.ts"
import type { Admitted } from "./provider-people.ts"
import type { Checks, Provider, ProviderClaims } from "./provider.ts"

/** Sign-ins of browsers that were sent to the provider and haven't returned yet. */
interface PendingSignIns {
  /** Returns a secret that the browser keeps in a cookie. */
  add(checks: Checks): string
  /** Returns the checks of a state once, to the browser that started the sign-in; null for any other browser. */
  take(state: string, kept: string | undefined): Checks | null
}

const signInTimeoutMs = 10 * 60_000
/** Maximum number of pending sign-ins, about 5 MB. The oldest are dropped. */
const maxStarted = 10_000

function createPendingSignIns(now: () => number = Date.now): PendingSignIns {
  const pendingSignIns = new Map<string, { checks: Checks; secretHash: Buffer; at: number }>()

  return {
    add(checks) {
      for (const [state, { at }] of pendingSignIns) {
        if (pendingSignIns.size < maxStarted && now() - at < signInTimeoutMs) break
        pendingSignIns.delete(state)
      }
      const kept = newSecret()
      pendingSignIns.set(checks.state, { checks, secretHash: hashSecret(kept), at: now() })
      return kept
    },

    take(state, kept) {
      const one = pendingSignIns.get(state)
      // A request from another browser doesn't use up the state.
      if (!one || kept === undefined || !isSecretOf(one.secretHash, kept)) return null
      pendingSignIns.delete(state)
      return now() - one.at < signInTimeoutMs ? one.checks : null
    },
  }
}

export interface ProviderSignInDeps {
  provider: Provider
  admit(claims: ProviderClaims): Promise<Admitted>
  sessions: Pick<Sessions, "createSignIn">
  /** Closes connections that were opened with a revoked credential. */
  onRevoked(credentialId: string): void
  /** Origin at which browsers reach the box. Never taken from a request, because the authorisation code is sent to this origin. */
  publicUrl(): string
  /** Port on which the box listens; it is part of the cookie's name. */
  port(): number
  logger: Logger
}

const startPath = "/api/public/sign-in/provider"
const callbackPath = `${startPath}/callback`

/** Sends browsers to the provider and handles their return. */
export interface ProviderSignIn {
  /** @param moved whether the browser has already been sent to the public address */
  begin(request: Request, response: Response, moved: boolean): Promise<void>
  handleCallback(request: Request, response: Response): Promise<void>
}

export function createProviderSignIn({
  provider,
  admit,
  sessions,
  onRevoked,
  publicUrl,
  port,
  logger,
}: ProviderSignInDeps): ProviderSignIn {
  const pendingSignIns = createPendingSignIns()
  const cookieName = () => `casella_provider_${port()}`
  const cookieOptions = () =>
    ({ httpOnly: true, sameSite: "lax", path: startPath, secure: publicUrl().startsWith("https:") }) as const
  const page = (parameters: Record<string, string>) =>
    `${publicUrl()}/#${signInRoute}?${new URLSearchParams(parameters).toString()}`
  const pageWith = (problem: ProviderProblem) => page({ problem })

  function failed(error: unknown, otherwise: ProviderProblem): string {
    logger.warn({ err: error }, "Signing in at the provider failed")
    return pageWith(isLocalOnlyRefusal(error) ? "local_only" : otherwise)
  }

  async function send(): Promise<{ to: string; kept: string | null }> {
    try {
      const { url, checks } = await provider.begin(publicUrl() + callbackPath)
      return { to: url, kept: pendingSignIns.add(checks) }
    } catch (error) {
      return { to: failed(error, "unreachable"), kept: null }
    }
  }

  /** If there are two cookies, neither is used. */
  function readSecretCookie(request: Request): string | undefined {
    try {
      return readCookie(request, cookieName())
    } catch {
      return undefined
    }
  }

  async function completeSignIn(request: Request): Promise<string> {
    const callbackUrl = new URL(publicUrl() + callbackPath)
    callbackUrl.search = new URL(request.url, publicUrl()).search
    const checks = pendingSignIns.take(callbackUrl.searchParams.get("state") ?? "", readSecretCookie(request))
    if (!checks) return pageWith("not_begun")
    try {
      const claims = await provider.finish(callbackUrl, checks)
      const admitted = await admit(claims)
      if ("problem" in admitted) return pageWith(admitted.problem)
      admitted.ended.forEach(onRevoked)
      const { token } = await sessions.createSignIn(admitted.userId, claims.idToken)
      return page({ token, by: "provider" })
    } catch (error) {
      return failed(error, isRefusal(error) ? "refused" : "unreachable")
    }
  }

  return {
    async begin(request, response, moved) {
      response.setHeader("cache-control", "no-store")
      // The cookie must be set for the host to which the provider returns the browser.
      if (!moved && request.headers.host !== new URL(publicUrl()).host) {
        response.redirect(303, `${publicUrl()}${startPath}?moved=1`)
        return
      }
      const { to, kept } = await send()
      if (kept !== null) response.cookie(cookieName(), kept, { ...cookieOptions(), maxAge: signInTimeoutMs })
      response.redirect(303, to)
    },

    async handleCallback(request, response) {
      response.setHeader("cache-control", "no-store")
      const to = await completeSignIn(request)
      response.clearCookie(cookieName(), cookieOptions())
      response.redirect(303, to)
    },
  }
}

/** The library's codes for a timeout, or for an answer that doesn't come from an OpenID provider. */
const noAnswerCodes = new Set(["OAUTH_TIMEOUT", "OAUTH_RESPONSE_IS_NOT_CONFORM"])

/** Whether the provider's answer refuses the person or is invalid. The reasons it states are only logged. */
function isRefusal(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return typeof code === "string" && code.startsWith("OAUTH_") && !noAnswerCodes.has(code)
}
