import { onDemand } from "../core/lazy.ts"
import { hasAutomations } from "../features/automations/has-automations.ts"
import type { Base } from "./compose-options.ts"
import type { AutomationParts } from "./open-automations.ts"

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
