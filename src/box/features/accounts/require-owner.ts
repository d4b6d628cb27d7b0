import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { DbOf } from "../../core/database/database.ts"

/** Throws `unprocessable` where a backup has no owner who may sign in: no one could administer Casella once it is restored. */
export async function requireOwner(db: DbOf<"accounts">): Promise<void> {
  const owner = await db
    .selectFrom("users")
    .innerJoin("memberships", "memberships.userId", "users.id")
    .select("users.id")
    .where("role", "=", "owner")
    .where("disabledAt", "is", null)
    .executeTakeFirst()
  if (!owner) throw new AppError("unprocessable", sentence("storage.no_owner"))
}
