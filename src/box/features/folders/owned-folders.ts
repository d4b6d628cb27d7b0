import { among } from "../../core/database/among.ts"
import type { DbOf } from "../../core/database/database.ts"

/** The folders of people that aren't deleted, those of chats included. */
export const ownedFolders = (db: DbOf<"folders">, userIds: readonly string[]) =>
  db
    .selectFrom("folders")
    .select(["id", "ownerId"])
    .where("ownerId", "in", among(userIds))
    .where("removed", "=", 0)
    .execute()
