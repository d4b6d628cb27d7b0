import { systemTimes, type AgeTimes } from "../../core/age-clock.ts"
import type { DbOf } from "../../core/database/database.ts"
import { noLimit } from "../../core/database/sql-helpers.ts"
import { hashSecret, isSecretOf, newId, newSecret, timestamp } from "../../core/ids.ts"
import type { FoundSession } from "../../http/authenticate.ts"
import { isOwner } from "./people.ts"

const signInLifetimeMs = 5 * 60_000
const sessionLifetimeMs = 180 * 24 * 3_600_000
/** Lifetime of a session started through a provider: anyone removed there is signed out within a working day. */
const providerSessionLifetimeMs = 12 * 3_600_000
/** Maximum number of sessions per user. A new one replaces the oldest. */
const maxSessions = 100
const maxSignInTokens = 20

/** Result of using a sign-in link. */
export type Exchange =
  | { status: "refused" }
  /** The browser is signed in as another user; the link isn't used up. */
  | { status: "other"; userId: string }
  /** `credentials` is null if the browser keeps its own session. */
  | {
      status: "signed-in"
      userId: string
      sessionId: string
      credentials: SessionCredentials | null
      maxAgeMs: number
    }

/** Each is useless without the other. */
export interface SessionCredentials {
  /** For the cookie, which is sent to every port of the computer. */
  token: string
  /** For the page only, which stores it per origin. */
  secret: string
}

/** The session of a browser's page. */
export interface PageSession {
  id: string
  userId: string
  /** False if another port of the computer set or removed the cookie, so that only the page's secret is left. */
  hasCookie: boolean
}

/** Sessions of the app. A one-time link is exchanged for a cookie and a secret. */
export interface Sessions {
  /** Returns a token that can be used once within 5 minutes. */
  createSignInToken(userId: string): Promise<string>
  /** Like `createSignInToken`, for a window of the program that hosts the box. */
  createAppSignInToken(userId: string): Promise<string>
  /** Whether a window of that program signed in with this session since the box started. */
  isInApp(sessionId: string): boolean
  /**
   * Like `createSignInToken`, but also returns the time when the token expires. With an ID token from a provider, the session lasts only 12
   * hours.
   */
  createSignIn(userId: string, idToken?: string): Promise<{ token: string; expiresAt: string }>
  /**
   * Uses up the token; refuses one that is unknown, used or expired. `current` is the browser's session. If it belongs to the same user and
   * still has its cookie, it continues. If it belongs to another user, it ends, but only with `replace`.
   */
  exchange(signInToken: string, current: PageSession | null, replace: boolean): Promise<Exchange>
  /**
   * Returns the page session that has this secret. The secret grants no access; it only prevents a link from signing the user in as someone
   * else without asking.
   */
  findBySecret(secret: string): Promise<PageSession | null>
  /**
   * Ends a session immediately. Its open connections are closed when `closeAll` is called; `idToken` is from the provider that started the
   * session.
   */
  end(id: string): Promise<{ closeAll: () => void; idToken: string | null }>
  /** Returns the session of a cookie, which is valid only together with its secret. */
  findSession(token: string): Promise<FoundSession | null>
  /** Called at start: shortens sessions that were created while the clock was ahead. */
  shortenFuture(): Promise<void>
}

/** @param times clock for the expiry of sessions, which are long; links use the system clock for their few minutes */
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
    const surplus = own.orderBy("expiresAt", "desc").limit(noLimit).offset(maxSignInTokens)
    await db.deleteFrom("signInTokens").where("hash", "in", surplus).execute()
    return { token, expiresAt }
  }

  return {
    createSignIn: (userId, idToken) => createSignIn(userId, idToken),
    createSignInToken: async (userId) => (await createSignIn(userId)).token,
    async createAppSignInToken(userId) {
      const { token } = await createSignIn(userId)
      for (const oldest of appTokens) if (appTokens.size >= maxSignInTokens) appTokens.delete(oldest)
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

    async findBySecret(secret) {
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

/** Sessions that haven't expired, of users who may sign in. */
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
  // an expiry too far in the future was set while the clock was ahead
  const isInTime =
    link && link.expiresAt >= timestamp(now) && link.expiresAt <= timestamp(now + signInLifetimeMs)
  if (!isInTime) return { outcome: { status: "refused" }, ended: [] }
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
  const surplus = own.orderBy("createdAt", "desc").orderBy("id", "desc").limit(noLimit).offset(maxSessions)
  const ended = await trx
    .deleteFrom("sessions")
    .where((e) =>
      current ? e.or([e("id", "in", surplus), e("id", "=", current.id)]) : e("id", "in", surplus),
    )
    .returning("id")
    .execute()
  return { outcome: { ...outcome, sessionId, credentials }, ended: ended.map(({ id }) => id) }
}

/** Signs everyone out in a database from a backup, because its author could have added a session. */
export async function endSessions(db: DbOf<"accounts">): Promise<void> {
  await db.deleteFrom("sessions").execute()
  await db.deleteFrom("signInTokens").execute()
}
