import { betterAuth } from "better-auth"
import { APIError } from "better-auth/api"
import { ServiceError } from "../../../shared/contract/service-errors.ts"
import { accountOptions } from "../../core/account-options.ts"
import type { Database, DatabaseTransaction, DatabaseSchema, OpenDatabase } from "../../core/database.ts"
import type { Logger } from "../../core/logger.ts"

export interface Member {
  id: string
  email: string
  name: string
  company: string | null
  staff: boolean
  blocked: boolean
  ticketsPerDay: number | null
  requestsPerMinute: number | null
}

type MemberChange = Partial<Omit<DatabaseSchema["members"], "userId">>

/** Data about users that isn't part of their accounts: staff, blocked, limits. */
export interface Members {
  findById(id: string): Promise<Member | null>
  all(): Promise<Member[]>
  has(email: string): Promise<boolean>
  /** Throws `UNAUTHORIZED` if the user is blocked, as seen within the transaction. */
  requireAvailable(transaction: DatabaseTransaction, id: string): Promise<void>
  /** Throws `NOT_FOUND` if there is no such user. */
  change(email: string, change: MemberChange): Promise<Member>
}

export function createMembers(db: Database): Members {
  const select = () =>
    db
      .selectFrom("user")
      .leftJoin("members", "members.userId", "user.id")
      .select([
        "user.id",
        "user.email",
        "user.name",
        "company",
        "staff",
        "blocked",
        "ticketsPerDay",
        "requestsPerMinute",
      ])

  async function findById(id: string): Promise<Member | null> {
    const row = await select().where("user.id", "=", id).executeTakeFirst()
    return row === undefined ? null : present(row)
  }

  async function findUserId(email: string): Promise<string | undefined> {
    const address = email.trim().toLowerCase()
    const user = await db.selectFrom("user").select("id").where("email", "=", address).executeTakeFirst()
    return user?.id
  }

  return {
    findById,

    async all() {
      return (await select().orderBy("user.email").execute()).map(present)
    },

    has: async (email) => (await findUserId(email)) !== undefined,

    async requireAvailable(transaction, id) {
      const member = await transaction
        .selectFrom("members")
        .select("blocked")
        .where("userId", "=", id)
        .executeTakeFirst()
      if (member?.blocked === 1) throw new ServiceError("UNAUTHORIZED", "The account isn't available.")
    },

    async change(email, change) {
      const userId = await findUserId(email)
      if (userId === undefined) {
        throw new ServiceError("NOT_FOUND", `There is no user ${email}. "users list" lists all users.`)
      }
      await db
        .insertInto("members")
        .values({ userId, staff: 0, blocked: 0, ...change })
        .onConflict((conflict) => conflict.column("userId").doUpdateSet({ userId, ...change }))
        .execute()
      const member = await findById(userId)
      if (member === null) throw new ServiceError("NOT_FOUND", `There is no user ${email} any more.`)
      return member
    },
  }
}

function present(row: {
  [Column in keyof Member]: Member[Column] extends boolean ? 0 | 1 | null : Member[Column]
}): Member {
  return { ...row, staff: row.staff === 1, blocked: row.blocked === 1 }
}

interface LibraryOptions {
  database: OpenDatabase
  /** Signs session cookies and encrypts the private keys of the JWTs. */
  secret: string
  /** URL that users open; cookies are `Secure` if it is https. */
  publicUrl: string | null
  /** Whether this user may not sign in. */
  isBlocked(userId: string): Promise<boolean>
  logger: Logger
}

/**
 * Better Auth provides accounts, sessions and JWTs. Its functions are called directly and its router isn't mounted, so its endpoints are
 * reachable only through routes of this service.
 */
export function createLibrary({ database, secret, publicUrl, isBlocked, logger }: LibraryOptions) {
  return betterAuth({
    ...accountOptions,
    database: { db: database.db, type: database.type },
    secret,
    baseURL: publicUrl ?? "http://localhost",
    logger: {
      level: "error",
      log: (level, message) => logger[level === "error" ? "error" : "info"]({ part: "better-auth" }, message),
    },
    databaseHooks: {
      session: {
        create: {
          async before({ userId }) {
            if (await isBlocked(userId)) throw new APIError("UNAUTHORIZED")
          },
        },
      },
    },
  })
}

export type Library = ReturnType<typeof createLibrary>

/** Whether Better Auth refused the request (wrong password, unknown or blocked user) instead of failing. */
export const isRefusal = (error: unknown): boolean => error instanceof APIError && error.statusCode < 500

export interface UserDraft {
  email: string
  password: string
  name: string
  staff: boolean
  company: string | null
}

/** Adds an account. Throws `CONFLICT`, or `VALIDATION_ERROR` with what to change, such as a short password. */
export async function addUser(library: Library, members: Members, draft: UserDraft): Promise<Member> {
  const { email, password, name, staff, company } = draft
  // Better Auth doesn't report that an address is in use, so that sign-up can't be used to find accounts.
  if (await members.has(email)) throw new ServiceError("CONFLICT", `The user ${email} exists already.`)
  await library.api.signUpEmail({ body: { email, password, name } }).catch((cause: unknown) => {
    if (!isRefusal(cause)) throw cause
    throw new ServiceError("VALIDATION_ERROR", (cause as Error).message, { cause })
  })
  return members.change(email, { staff: staff ? 1 : 0, company })
}
