import { sql } from "kysely"
import type { DbOf } from "../../core/database/database.ts"

/**
 * Makes assistants of a restored backup ask before they act, and removes their images on the web. The backup's author wrote their
 * instructions, and an image is fetched as soon as someone looks at the assistant.
 */
export async function restrictAssistants(db: DbOf<"assistants">): Promise<void> {
  await db
    .updateTable("assistants")
    .set({ permissionMode: "ask" })
    .where("permissionMode", "=", "bypass")
    .execute()
  await db
    .updateTable("assistants")
    .set({ customImage: null })
    .where(sql<string>`lower(substr("customImage", 1, 5))`, "<>", "data:")
    .execute()
}
