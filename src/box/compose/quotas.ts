import { createQuotaGuard } from "../features/quotas/guard.ts"
import type { Accounts } from "./accounts.ts"
import type { Base } from "./compose-options.ts"

/** Limits of people and workspaces; what counts them is loaded where there is one. */
export function composeQuotas(base: Base, accounts: Accounts) {
  return createQuotaGuard(base.database.db, async () =>
    (await import("./open-quotas.ts")).openQuotas(base, accounts),
  )
}

export type QuotaPart = ReturnType<typeof composeQuotas>
