import type { ExpressionBuilder } from "kysely"
import type { ServerTarget } from "../../../shared/contract/integrations.ts"
import type { BoxValues } from "../../core/database/box-values.ts"
import type { DbOf } from "../../core/database/database.ts"
import type { TablesOf } from "../../core/database/table-owners.ts"
import type { ListedItem } from "../../core/held-items.ts"
import { integrationCatalogue, serverId } from "./servers.ts"
import { nothingApproved, toColumns, toServer } from "./store.ts"
import { restoredTargetsKey } from "./vault.ts"

/** Programs and MCP servers that were connected in a restored backup. */
export async function listHeldServers(db: DbOf<"integrations">): Promise<ListedItem[]> {
  const rows = await db
    .selectFrom("toolServers")
    .selectAll()
    .where("held", "=", 1)
    .orderBy("ownerId")
    .orderBy("key")
    .execute()
  return rows.map((row) => {
    const { key, name, target: stored, offer } = toServer(row)
    const { ownerId } = row
    const target = stored ?? integrationCatalogue().get(key)?.target ?? null
    return {
      kind: target?.kind === "command" ? "program" : "mcp_server",
      id: serverId(ownerId, key),
      ownerId,
      name,
      does: describe(target),
      trigger: null,
      toolCount: offer.definitions.length,
    }
  })
}

/** The command line, with quotes around arguments that contain spaces or quotes so that their boundaries are visible; or the URL. */
const describe = (target: ServerTarget | null): string =>
  target?.kind === "command"
    ? [target.command, ...target.args]
        .map((word) => (/^[^\s"'\\]+$/.test(word) ? word : JSON.stringify(word)))
        .join(" ")
    : (target?.url ?? "")

/**
 * Disconnects all MCP servers of a restored backup, and holds those that were connected until an owner turns them on. Removes all approved
 * and offered tools, and all read-only marks, because no one here made them. Tools that were turned off stay off.
 *
 * No server is exempt, because a hostile row would only have to look like an exempt one.
 */
export async function unlinkServers(
  db: DbOf<"integrations">,
  values: Pick<BoxValues, "write">,
): Promise<void> {
  const wasLinked = (e: ExpressionBuilder<TablesOf<"integrations">, "toolServers">) =>
    e.or([e("linkedAt", "is not", null), e("held", "<>", 0)])
  await db.updateTable("toolServers").set({ held: 1, linkedAt: null }).where(wasLinked).execute()
  await db.updateTable("toolServers").set(toColumns(nothingApproved)).execute()
  await values.write([{ key: restoredTargetsKey, value: "true" }])
}
