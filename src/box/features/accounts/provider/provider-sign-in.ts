import type { Request, Response } from "express"
import { signInRoute } from "../../../../shared/app-routes.ts"
import { type ProviderProblem, PersonDraft } from "../../../../shared/contract/accounts.ts"
import { AppError } from "../../../../shared/contract/errors.ts"
import type { DbOf } from "../../../core/database/database.ts"
import { timestamp, hashSecret, isSecretOf, newSecret } from "../../../core/ids.ts"
import type { Logger } from "../../../core/logging/logger.ts"
import { isLocalOnlyRefusal } from "../../../core/outbound/outbound.ts"
import { readCookie } from "../../../http/authenticate.ts"
import { addPerson, changePerson, endCredentials, personWithEmail } from "../people.ts"
import type { Sessions } from "../sessions.ts"
import type { ProviderClaims, Checks, Provider } from "./provider.ts"

/** Rules for signing in through the provider: the allowed groups, and the groups of owners. */
export interface Admission {
  /** null: all groups. */
  groups: readonly string[] | null
  /** Empty: the provider doesn't determine roles. */
  ownerGroups: readonly string[]
}

/** `ended` are the ids of credentials from before the provider account was linked to this user. */
export type Admitted = { userId: string; ended: readonly string[] } | { problem: ProviderProblem }

type Trx = DbOf<"accounts">

/**
 * Admits a person who signed in at the provider, as the linked user or as a new one.
 * @param heldOwners ids of owners of a restored backup, whom only the provider's owner groups can confirm here
 */
export const admit = (
  db: DbOf<"accounts">,
  claims: ProviderClaims,
  { groups, ownerGroups }: Admission,
  heldOwners: ReadonlySet<string>,
): Promise<Admitted> =>
  db.transaction().execute(async (trx) => {
    if (groups !== null && !claims.groups.some((group) => groups.includes(group)))
      return { problem: "not_in_group" }
    const role = claims.groups.some((group) => ownerGroups.includes(group)) ? "owner" : "member"
    const knownId = await knownUser(trx, claims)
    const admitted =
      knownId === undefined ? await newUser(trx, claims, role, heldOwners) : { userId: knownId, ended: [] }
    if ("problem" in admitted) return admitted
    const { userId } = admitted
    const user = await trx
      .selectFrom("users")
      .select("disabledAt")
      .where("id", "=", userId)
      .executeTakeFirst()
    if (user?.disabledAt !== null) return { problem: "disabled" }
    if (role !== "owner" && (await isHeldOwner(trx, heldOwners, userId))) return { problem: "held" }
    if (ownerGroups.length > 0) await takeRole(trx, userId, role)
    return admitted
  })

/** Matches only issuer and subject, because addresses can pass to another person. */
async function knownUser(trx: Trx, { issuer, subject }: ProviderClaims): Promise<string | undefined> {
  const accounts = trx.selectFrom("providerAccounts").select("userId")
  const known = await accounts.where("issuer", "=", issuer).where("subject", "=", subject).executeTakeFirst()
  return known?.userId
}

const isHeldOwner = async (trx: Trx, heldOwners: ReadonlySet<string>, userId: string) =>
  heldOwners.has(userId) && (await ownsWorkspace(trx, userId))

async function newUser(
  trx: Trx,
  claims: ProviderClaims,
  role: "owner" | "member",
  heldOwners: ReadonlySet<string>,
): Promise<Admitted> {
  const { email, emailVerified } = claims
  const isDoubted = emailVerified !== undefined && emailVerified !== true
  const draft = PersonDraft.safeParse({ email, name: getName(claims), role })
  if (isDoubted || !draft.success) return { problem: "no_email" }
  const namesake = await personWithEmail(trx, draft.data.email)
  if (namesake) {
    const isTaken = emailVerified !== true || (await hasAccount(trx, namesake.id, claims.issuer))
    if (isTaken) return { problem: "email_taken" }
    if (role !== "owner" && (await isHeldOwner(trx, heldOwners, namesake.id))) return { problem: "held" }
    await remember(trx, claims, namesake.id)
    // A member may have claimed the address before its rightful holder arrived, so their access ends. An owner had no reason to claim it.
    const ended = (await ownsWorkspace(trx, namesake.id)) ? [] : await endCredentials(trx, namesake.id)
    return { userId: namesake.id, ended }
  }
  try {
    const { id } = await addPerson(trx, draft.data)
    await remember(trx, claims, id)
    return { userId: id, ended: [] }
  } catch (error) {
    if (error instanceof AppError && error.code === "conflict") return { problem: "full" }
    throw error
  }
}

const getName = ({ name, email }: ProviderClaims) =>
  (name ?? String(email).split("@")[0] ?? "").trim().slice(0, 100).toWellFormed()

/** Whether another provider account already belongs to this user. The provider has then given the user's address to someone else. */
async function hasAccount(trx: Trx, userId: string, issuer: string): Promise<boolean> {
  const accounts = trx.selectFrom("providerAccounts").select("subject")
  return (
    (await accounts.where("userId", "=", userId).where("issuer", "=", issuer).executeTakeFirst()) !==
    undefined
  )
}

async function ownsWorkspace(db: DbOf<"accounts">, userId: string): Promise<boolean> {
  const owned = db.selectFrom("memberships").select("userId").where("role", "=", "owner")
  return (await owned.where("userId", "=", userId).executeTakeFirst()) !== undefined
}

async function remember(trx: Trx, { issuer, subject }: ProviderClaims, userId: string): Promise<void> {
  const account = { issuer, subject, userId, createdAt: timestamp() }
  await trx.insertInto("providerAccounts").values(account).execute()
}

/** The last owner who can sign in stays an owner. */
async function takeRole(trx: Trx, userId: string, role: "owner" | "member"): Promise<void> {
  try {
    await changePerson(trx, userId, { role })
  } catch (error) {
    if (!(error instanceof AppError && error.code === "conflict")) throw error
    await changePerson(trx, userId, { role: "owner" })
  }
}

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
