import { userInfo } from "node:os"
import type { Membership, User } from "../../../shared/contract/account.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import type { Database } from "../../core/database.ts"
import { newId, timestamp } from "../../core/ids.ts"

/** Users and the workspaces they share. */
export interface People {
  user(id: string): Promise<User | null>
  /** The user who set the box up. */
  localOwner(): Promise<User>
  byEmail(email: string): Promise<User | null>
  list(): Promise<User[]>
  /** Adds a user to the box's first workspace. Throws `conflict` when the e-mail address is taken. */
  add(email: string, name: string): Promise<User>
  workspaces(): Promise<{ id: string; name: string; members: number }[]>
  memberships(userId: string): Promise<Membership[]>
  /** Ids of everyone who shares a workspace with the user, the user included. */
  colleagues(userId: string): Promise<string[]>
  /** Makes the owner and its workspace in a new database; answers the owner only then. */
  ensureOwner(): Promise<User | null>
}

export function createPeople(db: Database): People {
  const columns = ["id", "email", "name"] as const

  const localOwner = () =>
    db
      .selectFrom("users")
      .select(columns)
      .orderBy("createdAt")
      .orderBy("id")
      .limit(1)
      .executeTakeFirstOrThrow()

  return {
    localOwner,
    user: async (id) =>
      (await db.selectFrom("users").select(columns).where("id", "=", id).executeTakeFirst()) ?? null,
    byEmail: async (email) =>
      (await db.selectFrom("users").select(columns).where("email", "=", email).executeTakeFirst()) ?? null,
    list: () => db.selectFrom("users").select(columns).orderBy("createdAt").orderBy("id").execute(),

    add: (email, name) =>
      db.transaction().execute(async (trx) => {
        const taken = await trx.selectFrom("users").select("id").where("email", "=", email).executeTakeFirst()
        if (taken) throw new AppError("conflict", `There is a user with the e-mail address ${email} already.`)
        const workspace = await trx
          .selectFrom("workspaces")
          .select("id")
          .orderBy("createdAt")
          .orderBy("id")
          .limit(1)
          .executeTakeFirstOrThrow()
        const user = { id: newId(), email, name }
        await trx
          .insertInto("users")
          .values({ ...user, createdAt: timestamp() })
          .execute()
        const membership = { workspaceId: workspace.id, userId: user.id, role: "member" as const }
        await trx.insertInto("memberships").values(membership).execute()
        return user
      }),

    workspaces: () =>
      db
        .selectFrom("workspaces")
        .leftJoin("memberships", "memberships.workspaceId", "workspaces.id")
        .select((e) => ["workspaces.id", "workspaces.name", e.fn.count<number>("userId").as("members")])
        .groupBy("workspaces.id")
        .orderBy("workspaces.createdAt")
        .execute(),

    memberships: (userId) =>
      db
        .selectFrom("memberships")
        .innerJoin("workspaces", "workspaces.id", "memberships.workspaceId")
        .select(["workspaces.id", "workspaces.name", "memberships.role"])
        .where("userId", "=", userId)
        .orderBy("workspaces.createdAt")
        .execute(),

    async colleagues(userId) {
      const rows = await db
        .selectFrom("memberships as own")
        .innerJoin("memberships as other", "other.workspaceId", "own.workspaceId")
        .select("other.userId")
        .distinct()
        .where("own.userId", "=", userId)
        .execute()
      return [...new Set([userId, ...rows.map((row) => row.userId)])]
    },

    ensureOwner: () =>
      db.transaction().execute(async (trx) => {
        if (await trx.selectFrom("users").select("id").limit(1).executeTakeFirst()) return null
        const createdAt = timestamp()
        const owner = { id: newId(), email: "owner@casella.local", name: loginName() }
        const workspace = { id: newId(), name: "Workspace", createdAt }
        await trx
          .insertInto("users")
          .values({ ...owner, createdAt })
          .execute()
        await trx.insertInto("workspaces").values(workspace).execute()
        const membership = { workspaceId: workspace.id, userId: owner.id, role: "owner" as const }
        await trx.insertInto("memberships").values(membership).execute()
        return owner
      }),
  }
}

function loginName(): string {
  try {
    return userInfo().username
  } catch {
    return "Owner" // an account without an entry in the system's user list
  }
}
