import { ServiceError } from "../../../shared/contract/service-errors.ts"
import type { Database, DatabaseTransaction } from "../../core/database.ts"
import type { DatabaseSchema } from "../../core/database-schema.ts"

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

export type MemberChange = Partial<Omit<DatabaseSchema["members"], "userId">>

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
        throw new ServiceError("NOT_FOUND", `There is no user ${email}. "users list" shows who there is.`)
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
