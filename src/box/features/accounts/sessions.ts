import type { Database } from "../../core/database.ts"
import { hashSecret, newId, newSecret, timestamp } from "../../core/ids.ts"
import type { Caller } from "../../http/caller.ts"

const signInLifetimeMs = 5 * 60_000
const sessionLifetimeMs = 180 * 24 * 3_600_000

/** Sessions of the app: a one-time link is exchanged for a cookie (decisions.md 3). */
export interface Sessions {
  /** A token that signs in once within 5 minutes. */
  createSignInToken(userId: string): Promise<string>
  /** As `createSignInToken`, with the moment from which it is refused. */
  createSignIn(userId: string): Promise<{ token: string; expiresAt: string }>
  /** Uses the token up. Answers null when it is unknown, used or too old. */
  exchange(signInToken: string): Promise<{ token: string; userId: string; maxAgeMs: number } | null>
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
    return { token, expiresAt }
  }

  return {
    createSignIn,
    createSignInToken: async (userId) => (await createSignIn(userId)).token,

    exchange: (signInToken) =>
      db.transaction().execute(async (trx) => {
        const used = await trx
          .deleteFrom("signInTokens")
          .where("hash", "=", hashSecret(signInToken))
          .returning(["userId", "expiresAt"])
          .executeTakeFirst()
        const now = Date.now()
        if (!used || used.expiresAt < timestamp(now)) return null
        await trx.deleteFrom("sessions").where("expiresAt", "<", timestamp(now)).execute()
        const token = newSecret()
        const session = {
          id: newId(),
          userId: used.userId,
          hash: hashSecret(token),
          createdAt: timestamp(now),
          expiresAt: timestamp(now + sessionLifetimeMs),
        }
        await trx.insertInto("sessions").values(session).execute()
        return { token, userId: used.userId, maxAgeMs: sessionLifetimeMs }
      }),

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
