import { onDemand } from "../core/on-demand.ts"
import { hasAutomations } from "../features/automations/has-automations.ts"
import type { Base } from "./compose-options.ts"
import type { AutomationParts } from "./open-automations.ts"

/** Work that runs by itself. */
export function composeAutomations(base: Base, parts: () => AutomationParts) {
  const made = base.stack.use(
    onDemand(
      async () => (await import("./open-automations.ts")).openAutomations(base, parts()),
      async (automations) => automations[Symbol.asyncDispose](),
    ),
  )
  return {
    get: made.get,
    async start(): Promise<void> {
      if (await hasAutomations(base.database.db)) await made.get()
    },
  }
}
