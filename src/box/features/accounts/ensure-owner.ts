import { userInfo } from "node:os"
import type { User } from "../../../shared/contract/account.ts"
import type { DbOf } from "../../core/database/database.ts"
import { newId, timestamp } from "../../core/ids.ts"

/** Creates the owner and their workspace in a new database. Returns the owner only if it was created. */
export const ensureOwner = (db: DbOf<"accounts">): Promise<User | null> =>
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
  })

function loginName(): string {
  try {
    return userInfo().username
  } catch {
    return "Owner" // the account has no entry in the system's user list
  }
}
