import { onDemand } from "../core/lazy.ts"
import { hasOpenQuestions } from "../features/questions/has-open-questions.ts"
import type { Accounts } from "./accounts.ts"
import type { Base } from "./compose-options.ts"

/** Questions to users. */
export function composeQuestions(base: Base, accounts: Pick<Accounts, "keys" | "notifications">) {
  const made = base.stack.use(
    onDemand(
      async () => (await import("./open-questions.ts")).openQuestions(base, accounts),
      async (questions) => questions[Symbol.dispose](),
    ),
  )
  return {
    get: made.get,
    async start(): Promise<void> {
      if (await hasOpenQuestions(base.database.db)) await made.get()
    },
  }
}
