import type { AutomationDraft } from "../../../shared/contract/automations.ts"
import { AppError, invalidField } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { reachesFolders, requireFolderScope, type Caller } from "../../http/caller.ts"
import { isPattern, matchesEverything } from "./arrivals.ts"
import type { AutomationsDeps } from "./context.ts"
import { parseSchedule } from "./schedule.ts"
import { getCaller, toDraft, type AutomationRow, type HookStarter } from "./store.ts"

const getFolders = ({ vectorIds, trigger }: AutomationDraft): string[] => [
  ...vectorIds,
  ...(trigger.kind === "file" ? [trigger.vectorId] : []),
]

/** Throws `validation` for a trigger, assistant or model that can't work, and `forbidden` for folders that the caller may not use. */
export async function requirePossible(
  deps: AutomationsDeps,
  caller: Caller,
  draft: AutomationDraft,
): Promise<void> {
  const { assistantId, modelId } = draft
  requireValidTrigger(draft, deps.now())
  const folders = getFolders(draft)
  requireFolderScope(caller, folders)
  const details = await deps.findUnusableFolders(caller.userId, folders)
  if (details.length > 0)
    throw new AppError("forbidden", sentence("automations.folders_not_yours"), { details })
  if (assistantId !== null && !(await deps.assistant(caller.userId, assistantId)))
    throw invalidField("assistantId", sentence("automations.no_assistant"))
  if (modelId !== null && !(await deps.isModel(modelId)))
    throw invalidField("modelId", sentence("chat.no_such_model"))
}

function requireValidTrigger({ trigger, watch }: AutomationDraft, now: number): void {
  if (trigger.kind === "schedule") {
    const times = parseSchedule(trigger.cron, trigger.timeZone, now)
    if (times === "time_zone") throw invalidField("trigger.timeZone", sentence("automations.no_time_zone"))
    if (times === "cron") throw invalidField("trigger.cron", sentence("automations.no_cron"))
    if (times === "never") throw invalidField("trigger.cron", sentence("automations.never"))
  }
  if (trigger.kind === "file" && trigger.match !== null) {
    if (!isPattern(trigger.match)) throw invalidField("trigger.match", sentence("automations.no_pattern"))
    if (matchesEverything(trigger.match))
      throw invalidField("trigger.match", sentence("automations.matches_everything"))
  }
  if (watch && trigger.kind !== "file") throw invalidField("watch", sentence("automations.watch_needs_files"))
}

/** Throws `forbidden` if a credential with scopes lacks a scope for anything that the automation can access. */
export async function requireReach(
  deps: Pick<AutomationsDeps, "assistant">,
  caller: Pick<Caller, "scopes">,
  row: AutomationRow,
): Promise<void> {
  const maker = getCaller(row)
  if (caller.scopes === null) return
  const { ownerId, assistantId } = row
  const assistant = assistantId === null ? null : await deps.assistant(ownerId, assistantId)
  if (reachesFolders(maker))
    requireFolderScope(caller, [...getFolders(toDraft(row)), ...(assistant?.vectorIds ?? [])])
  if (maker.scopes === null && assistant?.usesAccounts)
    throw new AppError("forbidden", sentence("http.full_rights_only"))
}

/**
 * Throws `not_found` if the key that created a webhook was revoked, `forbidden` if the automation now has access to more than the key.
 */
export async function requireHookStarter(
  deps: Pick<AutomationsDeps, "assistant" | "isRevoked">,
  starter: HookStarter,
  row: AutomationRow,
): Promise<void> {
  if (await deps.isRevoked(starter.credentialId))
    throw new AppError("not_found", sentence("automations.no_hook"))
  await requireReach(deps, starter, row).catch((error: unknown) => {
    // Anyone who knows the URL can see this error, so it names no folders.
    throw error instanceof AppError ? new AppError("forbidden", sentence("automations.hook_of_key")) : error
  })
}
