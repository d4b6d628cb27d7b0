import type { DbOf } from "../../core/database/database.ts"
import { maxLimit } from "../../../shared/contract/quotas.ts"
import { kinds } from "./store.ts"

/** More than any person can use in a day. The sum over all people of a server is still a safe integer. */
const maxUse = 1_000_000_000_000

/** Removes limits and usage values of a restored backup that no one can have set or reached, because answers with one would fail. */
export async function clampQuotas(db: DbOf<"quotas">): Promise<void> {
  for (const kind of kinds)
    await db
      .updateTable("quotas")
      .set({ [kind]: null })
      .where((e) =>
        e.or([
          e(kind, ">", maxLimit),
          e(kind, "<", -1),
          e.and([e(kind, "=", -1), e("quotas.kind", "<>", "person")]),
        ]),
      )
      .execute()
  await db
    .deleteFrom("dailyUse")
    .where((e) =>
      e.or((["answers", "tokens"] as const).flatMap((kind) => [e(kind, "<", 0), e(kind, ">", maxUse)])),
    )
    .execute()
}
