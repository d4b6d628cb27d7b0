import { isFilingTool } from "../../shared/contract/tools.ts"
import { onDemand } from "../core/lazy.ts"
import { isMovingFiles } from "../features/filing/moves-in-progress.ts"
import type { FilingDeps } from "../tools/filing.ts"
import type { Accounts } from "./accounts.ts"
import type { Base } from "./compose-options.ts"
import type { Library } from "./library/library.ts"

/** Names, locations and tags of files, and notes next to them. */
export function composeFiling(
  base: Base,
  accounts: Pick<Accounts, "people">,
  library: Pick<Library, "access" | "files">,
) {
  const load = async () => (await import("./open-filing.ts")).openFiling(base, accounts, library)
  const made = base.stack.use(onDemand(load, async ({ filings }) => filings[Symbol.dispose]()))
  const toolDeps: FilingDeps = {
    findFile: async (...named) => (await made.get()).findFile(...named),
    findFolder: async (...named) => (await made.get()).findFolder(...named),
    describe: async (...draft) => (await made.get()).describeForModel(...draft),
    file: async (...draft) => (await made.get()).fileForModel(...draft),
  }
  base.bus.subscribe("approval.decided", (call) => {
    if (!isFilingTool(call.toolName)) return
    void made
      .get()
      .then((filing) => filing.recordDecision(call))
      .catch((error: unknown) => base.logger.error({ err: error }, "The history of a file lacks a step"))
  })
  return {
    get: async () => (await made.get()).filings,
    toolDeps,
    async start(): Promise<void> {
      if (await isMovingFiles(base.database.db)) await (await made.get()).filings.start()
    },
  }
}
