import ipaddr from "ipaddr.js"
import { ServiceError } from "../../../shared/contract/service-errors.ts"
import type { Database, DatabaseTransaction } from "../../core/database.ts"
import { hashSecret } from "../../core/ids.ts"

/** Counts uses per subject in time windows. On PostgreSQL, all servers share the counts. */
interface Windows {
  /** Takes one use. Returns 0, or the seconds until the window ends if `max` are used up. */
  take(subject: string, max: number, lengthMs: number): Promise<number>
  /** Returns one use to the window. */
  giveBack(subject: string): Promise<void>
  reset(subject: string): Promise<void>
  /** Removes windows that started before this time. */
  sweep(before: number): Promise<void>
}

/** A window that starts later than this from now is over: the clock has been put back. Clocks of several servers may differ by as much. */
const maxSkewMs = 60_000

export function createWindows(db: Database, now: () => number = Date.now): Windows {
  return {
    async take(subject, max, lengthMs) {
      const time = now()
      const [oldest, newest] = [time - lengthMs, time + maxSkewMs]
      // A single statement, so that concurrent requests can't exceed the limit. A used-up window isn't written.
      const taken = await db
        .insertInto("rateWindows")
        .values({ subject, startedAt: time, used: 1 })
        .onConflict((conflict) =>
          conflict
            .column("subject")
            .doUpdateSet((row) => {
              const isOver = row.or([
                row("rateWindows.startedAt", "<=", oldest),
                row("rateWindows.startedAt", ">", newest),
              ])
              return {
                startedAt: row.case().when(isOver).then(time).else(row.ref("rateWindows.startedAt")).end(),
                used: row
                  .case()
                  .when(isOver)
                  .then(1)
                  .else(row("rateWindows.used", "+", 1))
                  .end(),
              }
            })
            .where((row) =>
              row.or([
                row("rateWindows.startedAt", "<=", oldest),
                row("rateWindows.startedAt", ">", newest),
                row("rateWindows.used", "<", max),
              ]),
            ),
        )
        .returning("used")
        .executeTakeFirst()
      if (taken !== undefined && taken.used <= max) return 0
      const window = await db
        .selectFrom("rateWindows")
        .select("startedAt")
        .where("subject", "=", subject)
        .executeTakeFirst()
      return Math.max(1, Math.ceil(((window?.startedAt ?? time) + lengthMs - time) / 1000))
    },

    async giveBack(subject) {
      await db
        .updateTable("rateWindows")
        .set((row) => ({ used: row("used", "-", 1) }))
        .where("subject", "=", subject)
        .where("used", ">", 0)
        .execute()
    },

    async reset(subject) {
      await db.deleteFrom("rateWindows").where("subject", "=", subject).execute()
    },

    async sweep(before) {
      await db.deleteFrom("rateWindows").where("startedAt", "<", before).execute()
    },
  }
}

/** The address range of one customer of a network provider: an IPv4 address, or an IPv6 /64 with 2^64 addresses. */
export function getNetwork(address: string): string {
  const plain = address.replace(/%.*$/, "")
  if (!ipaddr.isValid(plain)) return "unknown"
  const parsed = ipaddr.process(plain)
  if (parsed.kind() === "ipv4") return parsed.toString()
  return `${(parsed as ipaddr.IPv6).parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(":")}::/64`
}

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
/** Default limits; `quota set` changes them for one user. */
const defaultRequestsPerMinute = 120
const defaultTicketsPerDay = 100

const throttleMs = 15 * minuteMs
/**
 * Maximum sign-in attempts within 15 minutes, until a correct password resets them: from one network for one account, so that no one locks
 * out users from elsewhere; for one account in total; from one network in total.
 */
const attempts = { perPair: 10, perAccount: 100, perNetwork: 50 }

/** Rate limits and quotas for callers. */
export interface Limits {
  /** Counts one request of a key, or of a user with a JWT. Throws `RATE_LIMITED`. */
  countRequest(subject: string, perMinute: number | null): Promise<void>
  /** Counts one ticket of a user in the transaction that creates it. Throws `QUOTA_EXCEEDED`. */
  chargeTicket(transaction: DatabaseTransaction, userId: string): Promise<void>
  admitSignIn(email: string, address: string): Promise<void>
  forgiveSignIn(email: string, address: string): Promise<void>
}

export function createLimits(windows: Windows, now: () => number = Date.now): Limits {
  /** Hashed, because some users type their password instead of their email address. */
  const hashEmail = (email: string) => hashSecret(email.trim().toLowerCase())
  const pairSubject = (email: string, address: string) =>
    `sign-in-pair:${getNetwork(address)} ${hashEmail(email)}`
  const accountSubject = (email: string) => `sign-in:${hashEmail(email)}`
  const networkSubject = (address: string) => `sign-in-from:${getNetwork(address)}`

  return {
    async countRequest(subject, perMinute) {
      const wait = await windows.take(subject, perMinute ?? defaultRequestsPerMinute, minuteMs)
      if (wait === 0) return
      throw new ServiceError("RATE_LIMITED", `Too many requests in a minute. Try again in ${wait} s.`, {
        retryAfterSeconds: wait,
      })
    },

    async chargeTicket(transaction, userId) {
      const time = now()
      const day = new Date(time).toISOString().slice(0, 10)
      const member = await transaction
        .insertInto("dailyTickets")
        .values({ userId, day, used: 1 })
        .onConflict((conflict) =>
          conflict
            .columns(["userId", "day"])
            .doUpdateSet((row) => ({ used: row("dailyTickets.used", "+", 1) })),
        )
        .returning((row) => [
          "used",
          row
            .selectFrom("members")
            .select("ticketsPerDay")
            .where("members.userId", "=", userId)
            .as("ticketsPerDay"),
        ])
        .executeTakeFirstOrThrow()
      const max = member.ticketsPerDay ?? defaultTicketsPerDay
      if (member.used <= max) return
      throw new ServiceError(
        "QUOTA_EXCEEDED",
        `The ${max} tickets of today are used up. The next day begins at 00:00 UTC.`,
        {
          retryAfterSeconds: (dayMs - (time % dayMs)) / 1000,
        },
      )
    },

    async admitSignIn(email, address) {
      // The order matters: attempts from a network over its limit don't count against accounts.
      for (const [subject, max] of [
        [networkSubject(address), attempts.perNetwork],
        [pairSubject(email, address), attempts.perPair],
        [accountSubject(email), attempts.perAccount],
      ] as const) {
        const wait = await windows.take(subject, max, throttleMs)
        if (wait === 0) continue
        throw new ServiceError("RATE_LIMITED", `Too many attempts to sign in. Try again in ${wait} s.`, {
          retryAfterSeconds: wait,
        })
      }
    },

    async forgiveSignIn(email, address) {
      await windows.giveBack(networkSubject(address))
      await windows.reset(pairSubject(email, address))
      await windows.reset(accountSubject(email))
    },
  }
}
