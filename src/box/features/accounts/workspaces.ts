import type { Membership } from "../../../shared/contract/account.ts"
import type { DbOf } from "../../core/database/database.ts"
import { createPreparedQuery } from "../../core/database/sql-helpers.ts"
import { isOwner } from "./is-owner.ts"

/** Workspaces and their members. */
export interface Workspaces {
  workspaces(): Promise<{ id: string; name: string; members: number }[]>
  memberships(userId: string): Promise<Membership[]>
  members(workspaceId: string): Promise<string[]>
  isOwner(userId: string): Promise<boolean>
  /** Returns the ids of everyone who shares a workspace with the user, including the user. */
  colleagues(userId: string): Promise<string[]>
}

export function createWorkspaces(db: DbOf<"accounts">): Workspaces {
  const others = createPreparedQuery(db, ["userId"], ({ userId }) =>
    db
      .selectFrom("memberships as own")
      .innerJoin("memberships as other", "other.workspaceId", "own.workspaceId")
      .select("other.userId")
      .distinct()
      .where("own.userId", "=", userId),
  )
  return {
    workspaces: () =>
      db
        .selectFrom("workspaces")
        .leftJoin("memberships", "memberships.workspaceId", "workspaces.id")
        .select((e) => ["workspaces.id", "workspaces.name", e.fn.count<number>("userId").as("members")])
        .groupBy("workspaces.id")
        .orderBy("workspaces.createdAt")
        .execute(),

    async members(workspaceId) {
      const members = db.selectFrom("memberships").select("userId").where("workspaceId", "=", workspaceId)
      return (await members.execute()).map(({ userId }) => userId)
    },

    memberships: (userId) =>
      db
        .selectFrom("memberships")
        .innerJoin("workspaces", "workspaces.id", "memberships.workspaceId")
        .select(["workspaces.id", "workspaces.name", "memberships.role"])
        .where("userId", "=", userId)
        .orderBy("workspaces.createdAt")
        .execute(),

    async isOwner(userId) {
      const user = db.selectFrom("users").where("id", "=", userId)
      return (await user.select(isOwner.as("isOwner")).executeTakeFirst())?.isOwner === 1
    },

    async colleagues(userId) {
      const rows = await others({ userId })
      return [...new Set([userId, ...rows.map((row) => row.userId)])]
    },
  }
}
