import { systemTimes, type AgeTimes } from "../../core/age-clock.ts"
import type { DbOf } from "../../core/database/database.ts"
import { noLimit } from "../../core/database/no-limit.ts"
import { hashSecret, isSecretOf, newId, newSecret, timestamp } from "../../core/ids.ts"
import type { FoundSession } from "../../http/authenticate.ts"
import { isOwner } from "./is-owner.ts"

const signInLifetimeMs = 5 * 60_000
const sessionLifetimeMs = 180 * 24 * 3_600_000
/** Of one that a provider began: whoever is gone there is out within a working day. */
const providerSessionLifetimeMs = 12 * 3_600_000
/** Of one person: a further one takes the place of the oldest. */
const mostSessions = 100
const mostSignInTokens = 20

/** What came of a sign-in link. */
export type Exchange =
  | { status: "refused" }
  /** The browser is signed in as somebody else; the link isn't used up. */
  | { status: "other"; userId: string }
  /** `credentials` is null where the browser's own session goes on. */
  | {
      status: "signed-in"
      userId: string
      sessionId: string
      credentials: SessionCredentials | null
      maxAgeMs: number
    }

/** Neither opens anything without the other. */
export interface SessionCredentials {
  /** For the cookie, which reaches every port of the computer. */
  token: string
  /** For the page alone, which keeps it by its origin. */
  secret: string
}

/** The session that a browser's page has. */
export interface PageSession {
  id: string
  userId: string
  /** False where another port of the computer set or removed the cookie: only the page's secret is left of it. */
  hasCookie: boolean
}

/** Sessions of the app: a one-time link is exchanged for a cookie and a secret (decisions.md 3). */
export interface Sessions {
  /** A token that signs in once within 5 minutes. */
  createSignInToken(userId: string): Promise<string>
  /** As `createSignInToken`, for a window of the program that hosts the box. */
  createAppSignInToken(userId: string): Promise<string>
  /** Whether a session is one that a window of that program signed in with since the box started. */
  isInApp(sessionId: string): boolean
  /**
   * As `createSignInToken`, with the moment from which it is refused. With what a provider said of the person the session lasts
   * 12 hours only.
   */
  createSignIn(userId: string, idToken?: string): Promise<{ token: string; expiresAt: string }>
  /**
   * Uses the token up; refuses one that is unknown, used or too old. `current` is the session that the browser has: of
   * the same person, it goes on if it is whole; of another, it ends, but only if it is to be replaced.
   */
  exchange(signInToken: string, current: PageSession | null, replace: boolean): Promise<Exchange>
  /** Whose page has a secret. It opens nothing; it only keeps a link from making somebody else of its user unasked. */
  ofSecret(secret: string): Promise<PageSession | null>
  /** Ends a session at once. What it has open ends when `closeAll` is called; `idToken` is that of the provider which began it. */
  end(id: string): Promise<{ closeAll: () => void; idToken: string | null }>
  /** The session of a cookie, which counts only with its secret. */
  findSession(token: string): Promise<FoundSession | null>
  /** At start: sessions that began while the clock was ahead end when others do. */
  shortenFuture(): Promise<void>
}

/** @param times for sessions that run out, which are long; links' few minutes go by the clock */
export function createSessions(
  db: DbOf<"accounts">,
  onEnded: (id: string) => void,
  times: AgeTimes = systemTimes,
): Sessions {
  const appTokens = new Set<string>()
  const appSessions = new Set<string>()

  async function createSignIn(userId: string, idToken: string | null = null) {
    const token = newSecret()
    const now = Date.now()
    const expiresAt = timestamp(now + signInLifetimeMs)
    await db.deleteFrom("signInTokens").where("expiresAt", "<", timestamp(now)).execute()
    await db
      .insertInto("signInTokens")
      .values({ hash: hashSecret(token), userId, expiresAt, idToken })
      .execute()
    const own = db.selectFrom("signInTokens").select("hash").where("userId", "=", userId)
    const surplus = own.orderBy("expiresAt", "desc").limit(noLimit).offset(mostSignInTokens)
    await db.deleteFrom("signInTokens").where("hash", "in", surplus).execute()
    return { token, expiresAt }
  }

  return {
    createSignIn: (userId, idToken) => createSignIn(userId, idToken),
    createSignInToken: async (userId) => (await createSignIn(userId)).token,
    async createAppSignInToken(userId) {
      const { token } = await createSignIn(userId)
      for (const oldest of appTokens) if (appTokens.size >= mostSignInTokens) appTokens.delete(oldest)
      appTokens.add(token)
      return token
    },
    isInApp: (sessionId) => appSessions.has(sessionId),

    async exchange(signInToken, current, replace) {
      const { outcome, ended } = await db
        .transaction()
        .execute((trx) => exchange(trx, { signInToken, current, replace, times }))
      ended.forEach(onEnded)
      for (const id of ended) appSessions.delete(id)
      if (outcome.status === "signed-in" && appTokens.delete(signInToken)) appSessions.add(outcome.sessionId)
      return outcome
    },

    async ofSecret(secret) {
      const row = await live(db, times)
        .select(["sessions.id", "userId"])
        .where("secretHash", "=", hashSecret(secret))
        .executeTakeFirst()
      return row ? { ...row, hasCookie: false } : null
    },

    async end(id) {
      const ended = await db
        .deleteFrom("sessions")
        .where("id", "=", id)
        .returning("idToken")
        .executeTakeFirst()
      return { closeAll: () => onEnded(id), idToken: ended?.idToken ?? null }
    },

    async findSession(token) {
      const row = await live(db, times)
        .select(["sessions.id", "userId", "secretHash", isOwner.as("isOwner")])
        .where("hash", "=", hashSecret(token))
        .executeTakeFirst()
      if (!row) return null
      const { id, userId, secretHash } = row
      const rights = { scopes: null, isOwner: row.isOwner === 1 }
      return {
        caller: { userId, credentialId: id, via: "session", origin: "APP", ...rights },
        isSecret: (secret) => isSecretOf(secretHash, secret),
      }
    },

    async shortenFuture() {
      const latest = timestamp(times.latest() + sessionLifetimeMs)
      await db.updateTable("sessions").set({ expiresAt: latest }).where("expiresAt", ">", latest).execute()
    },
  }
}

/** Sessions that haven't run out, of people who are let in. */
const live = (db: DbOf<"accounts">, times: AgeTimes) =>
  db
    .selectFrom("sessions")
    .innerJoin("users", "users.id", "sessions.userId")
    .where("expiresAt", ">", timestamp(times.now()))
    .where("disabledAt", "is", null)

async function exchange(
  trx: DbOf<"accounts">,
  {
    signInToken,
    current,
    replace,
    times,
  }: { signInToken: string; current: PageSession | null; replace: boolean; times: AgeTimes },
): Promise<{ outcome: Exchange; ended: string[] }> {
  const now = Date.now()
  const hash = hashSecret(signInToken)
  const link = await trx.selectFrom("signInTokens").selectAll().where("hash", "=", hash).executeTakeFirst()
  // one that ends later than any was made while the clock was ahead
  const inTime =
    link && link.expiresAt >= timestamp(now) && link.expiresAt <= timestamp(now + signInLifetimeMs)
  if (!inTime) return { outcome: { status: "refused" }, ended: [] }
  const { userId, idToken } = link
  const isOther = current !== null && current.userId !== userId
  if (isOther && !replace) return { outcome: { status: "other", userId }, ended: [] }
  await trx.deleteFrom("signInTokens").where("hash", "=", hash).execute()
  await trx.deleteFrom("sessions").where("expiresAt", "<", timestamp(times.now())).execute()
  const maxAgeMs = idToken === null ? sessionLifetimeMs : providerSessionLifetimeMs
  const expiresAt = timestamp(now + maxAgeMs)
  const outcome = { status: "signed-in", userId, maxAgeMs } as const
  if (current?.hasCookie === true && !isOther) {
    await trx.updateTable("sessions").set({ expiresAt, idToken }).where("id", "=", current.id).execute()
    return { outcome: { ...outcome, sessionId: current.id, credentials: null }, ended: [] }
  }
  const credentials = { token: newSecret(), secret: newSecret() }
  const sessionId = newId()
  await trx
    .insertInto("sessions")
    .values({
      id: sessionId,
      userId,
      hash: hashSecret(credentials.token),
      secretHash: hashSecret(credentials.secret),
      createdAt: timestamp(now),
      expiresAt,
      idToken,
    })
    .execute()
  const own = trx.selectFrom("sessions").select("id").where("userId", "=", userId)
  const surplus = own.orderBy("createdAt", "desc").orderBy("id", "desc").limit(noLimit).offset(mostSessions)
  const ended = await trx
    .deleteFrom("sessions")
    .where((e) =>
      current ? e.or([e("id", "in", surplus), e("id", "=", current.id)]) : e("id", "in", surplus),
    )
    .returning("id")
    .execute()
  return { outcome: { ...outcome, sessionId, credentials }, ended: ended.map(({ id }) => id) }
}

/** Signs everyone out in a database that comes from a backup: its author could have added a session. */
export async function endSessions(db: DbOf<"accounts">): Promise<void> {
  await db.deleteFrom("sessions").execute()
  await db.deleteFrom("signInTokens").execute()
}
