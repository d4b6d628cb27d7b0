import type { Origin } from "../../../../shared/contract/conversations.ts"
import type { DbOf } from "../../../core/database/database.ts"

/** Returns the number of an owner's chats without reading them. */
export async function countConversations(
  db: Pick<DbOf<"chat">, "selectFrom">,
  ownerId: string,
  { origin, pinned }: { origin?: Origin | undefined; pinned?: boolean | undefined } = {},
): Promise<number> {
  let counts = db.selectFrom("conversationCounts").where("ownerId", "=", ownerId)
  if (origin !== undefined) counts = counts.where("origin", "=", origin)
  if (pinned !== undefined) counts = counts.where("pinned", "=", Number(pinned))
  const { total } = await counts
    .select((e) => e.fn.sum<number | null>("amount").as("total"))
    .executeTakeFirstOrThrow()
  return total ?? 0
}
