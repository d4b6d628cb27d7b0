import type { DbOf } from "../core/database/database.ts"
import { onDemand } from "../core/lazy.ts"
import type { Base } from "./compose-options.ts"
import type { AutomationParts } from "./open-automations.ts"

/** Whether this user has an automation; without a user, whether anyone has. */
async function hasAutomations(db: DbOf<"automations">, ownerId?: string): Promise<boolean> {
  const first = db.selectFrom("automations").select("id").limit(1)
  const found = ownerId === undefined ? first : first.where("ownerId", "=", ownerId)
  return (await found.executeTakeFirst()) !== undefined
}

const retryDelayMs = 60_000

/** Automations. */
export function composeAutomations(base: Base, parts: () => AutomationParts) {
  const made = base.stack.use(
    onDemand(
      async () => (await import("./open-automations.ts")).openAutomations(base, parts()),
      async (automations) => automations[Symbol.asyncDispose](),
    ),
  )
  let retryTimer: NodeJS.Timeout | undefined
  base.stack.defer(() => clearTimeout(retryTimer))

  /** If this fails, for example because the disk is full, it is retried: the schedules keep running. */
  async function start(): Promise<void> {
    try {
      if (await hasAutomations(base.database.db)) await made.get()
    } catch (error) {
      retryTimer = setTimeout(() => void start().catch(() => undefined), retryDelayMs).unref()
      throw error
    }
  }

  return {
    get: made.get,
    start,
    /** Whether this user has any automation; doesn't load the code that runs them. */
    has: (ownerId: string) => hasAutomations(base.database.db, ownerId),
  }
}
