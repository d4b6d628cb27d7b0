import { onDemand } from "../core/on-demand.ts"
import { hasAutomations } from "../features/automations/has-automations.ts"
import type { Base } from "./compose-options.ts"
import type { AutomationParts } from "./open-automations.ts"

const againMs = 60_000

/** Automations. */
export function composeAutomations(base: Base, parts: () => AutomationParts) {
  const made = base.stack.use(
    onDemand(
      async () => (await import("./open-automations.ts")).openAutomations(base, parts()),
      async (automations) => automations[Symbol.asyncDispose](),
    ),
  )
  let again: NodeJS.Timeout | undefined
  base.stack.defer(() => clearTimeout(again))

  /** If this fails, for example because the disk is full, it is retried: the schedules keep running. */
  async function start(): Promise<void> {
    try {
      if (await hasAutomations(base.database.db)) await made.get()
    } catch (error) {
      again = setTimeout(() => void start().catch(() => undefined), againMs).unref()
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
