import type { Database } from "../../core/database.ts"
import { hashSecret, newId, newSecret, timestamp } from "../../core/ids.ts"
import type { Caller } from "../../http/caller.ts"

const signInLifetimeMs = 5 * 60_000
const sessionLifetimeMs = 180 * 24 * 3_600_000
/** Of one person: a further one takes the place of the oldest. */
const mostSessions = 100
const mostSignInTokens = 20

/** What came of a sign-in link. */
export type Exchange =
  | { status: "refused" }
  /** The browser is signed in as somebody else; the link isn't used up. */
  | { status: "other"; userId: string }
  /** `token` is null where the browser's own session goes on. */
  | { status: "signed-in"; userId: string; token: string | null; maxAgeMs: number }

/** Sessions of the app: a one-time link is exchanged for a cookie (decisions.md 3). */
export interface Sessions {
  /** A token that signs in once within 5 minutes. */
  createSignInToken(userId: string): Promise<string>
  /** As `createSignInToken`, with the moment from which it is refused. */
  createSignIn(userId: string): Promise<{ token: string; expiresAt: string }>
  /**
   * Uses the token up; refuses one that is unknown, used or too old. `current` is the session that the browser has: of
   * the same person, it goes on; of another, it ends, but only if it is to be replaced.
   */
  exchange(signInToken: string, current: Caller | null, replace: boolean): Promise<Exchange>
  /** Ends a session at once. What it has open ends when the answer is called. */
  end(id: string): Promise<() => void>
  callerOfSession(token: string): Promise<Caller | null>
}

export function createSessions(db: Database, onEnded: (id: string) => void): Sessions {
  async function createSignIn(userId: string) {
    const token = newSecret()
    const now = Date.now()
    const expiresAt = timestamp(now + signInLifetimeMs)
    await db.deleteFrom("signInTokens").where("expiresAt", "<", timestamp(now)).execute()
    await db
      .insertInto("signInTokens")
      .values({ hash: hashSecret(token), userId, expiresAt })
      .execute()
    const own = db.selectFrom("signInTokens").select("hash").where("userId", "=", userId)
    const surplus = own.orderBy("expiresAt", "desc").limit(-1).offset(mostSignInTokens)
    await db.deleteFrom("signInTokens").where("hash", "in", surplus).execute()
    return { token, expiresAt }
  }

  return {
    createSignIn,
    createSignInToken: async (userId) => (await createSignIn(userId)).token,

    async exchange(signInToken, current, replace) {
      const { outcome, ended } = await db
        .transaction()
        .execute((trx) => exchange(trx, signInToken, current, replace))
      ended.forEach(onEnded)
      return outcome
    },

    async end(id) {
      await db.deleteFrom("sessions").where("id", "=", id).execute()
      return () => onEnded(id)
    },

    async callerOfSession(token) {
      const row = await db
        .selectFrom("sessions")
        .innerJoin("users", "users.id", "sessions.userId")
        .select(["sessions.id", "userId"])
        .where("hash", "=", hashSecret(token))
        .where("expiresAt", ">", timestamp())
        .where("disabledAt", "is", null)
        .executeTakeFirst()
      if (!row) return null
      return { userId: row.userId, credentialId: row.id, via: "session", origin: "APP", scopes: null }
    },
  }
}

async function exchange(
  trx: Database,
  signInToken: string,
  current: Caller | null,
  replace: boolean,
): Promise<{ outcome: Exchange; ended: string[] }> {
  const now = Date.now()
  const hash = hashSecret(signInToken)
  const link = await trx.selectFrom("signInTokens").selectAll().where("hash", "=", hash).executeTakeFirst()
  if (!link || link.expiresAt < timestamp(now)) return { outcome: { status: "refused" }, ended: [] }
  const { userId } = link
  const isOther = current !== null && current.userId !== userId
  if (isOther && !replace) return { outcome: { status: "other", userId }, ended: [] }
  await trx.deleteFrom("signInTokens").where("hash", "=", hash).execute()
  await trx.deleteFrom("sessions").where("expiresAt", "<", timestamp(now)).execute()
  const expiresAt = timestamp(now + sessionLifetimeMs)
  const outcome = { status: "signed-in", userId, maxAgeMs: sessionLifetimeMs } as const
  if (current !== null && !isOther) {
    await trx.updateTable("sessions").set({ expiresAt }).where("id", "=", current.credentialId).execute()
    return { outcome: { ...outcome, token: null }, ended: [] }
  }
  const token = newSecret()
  const session = { id: newId(), userId, hash: hashSecret(token), createdAt: timestamp(now), expiresAt }
  await trx.insertInto("sessions").values(session).execute()
  const own = trx.selectFrom("sessions").select("id").where("userId", "=", userId)
  const surplus = own.orderBy("createdAt", "desc").orderBy("id", "desc").limit(-1).offset(mostSessions)
  const ended = await trx
    .deleteFrom("sessions")
    .where((e) =>
      isOther ? e.or([e("id", "in", surplus), e("id", "=", current.credentialId)]) : e("id", "in", surplus),
    )
    .returning("id")
    .execute()
  return { outcome: { ...outcome, token }, ended: ended.map(({ id }) => id) }
}
