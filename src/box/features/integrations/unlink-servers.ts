import type { ExpressionBuilder } from "kysely"
import type { BoxValues } from "../../core/database/box-values.ts"
import type { DbOf } from "../../core/database/database.ts"
import type { TablesOf } from "../../core/database/table-owners.ts"
import { restoredTargetsKey } from "./vault.ts"

/**
 * Unlinks all tool servers of a restored backup, and holds those that were linked until an owner turns them on.
 * Nobody here has marked a function of theirs as only reading, so no mark stays.
 *
 * No server is left out, because then a hostile row would only have to look like one of those.
 */
export async function unlinkServers(
  db: DbOf<"integrations">,
  values: Pick<BoxValues, "write">,
): Promise<void> {
  const wasLinked = (e: ExpressionBuilder<TablesOf<"integrations">, "toolServers">) =>
    e.or([e("linkedAt", "is not", null), e("held", "<>", 0)])
  await db.updateTable("toolServers").set({ held: 1, linkedAt: null }).where(wasLinked).execute()
  await db.updateTable("toolServers").set({ readTools: "[]" }).execute()
  await values.write([{ key: restoredTargetsKey, value: "true" }])
}
