import { createQuotaGuard } from "../features/quotas/guard.ts"
import type { Accounts } from "./accounts.ts"
import type { Base } from "./compose-options.ts"

/** Quotas of users and workspaces; the code that measures usage is loaded if there is a quota. */
export function composeQuotas(base: Base, accounts: Accounts) {
  return createQuotaGuard(base.database.db, async () =>
    (await import("./open-quotas.ts")).openQuotas(base, accounts),
  )
}

export type QuotaPart = ReturnType<typeof composeQuotas>
