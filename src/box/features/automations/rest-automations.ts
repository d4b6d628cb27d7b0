import type { Assistant } from "../../../shared/contract/assistants.ts"
import { Budget, type Trigger } from "../../../shared/contract/automations.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import type { HeldAutomation, HeldDelegate } from "../../../shared/contract/storage.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { DbOf } from "../../core/database/database.ts"
import { timestamp } from "../../core/ids.ts"
import { delegationKey } from "../../tools/registry.ts"
import { active } from "./run-store.ts"
import type { ListedItem } from "../../core/held-items.ts"
import { getTrigger, getVectorIds, type AutomationRow } from "./store.ts"

/** Cancels queued and running runs in a database from a backup, and keeps automations off until an owner turns them on. */
export async function holdAutomations(db: DbOf<"automations">): Promise<void> {
  const restored = new AppError("conflict", sentence("automations.restored")).toBody()
  await db
    .updateTable("automationRuns")
    .set({ status: "cancelled", endedAt: timestamp(), input: null, told: 1, error: JSON.stringify(restored) })
    .where("status", "in", ["queued", ...active])
    .execute()
  await db
    .updateTable("automations")
    .set({ held: 1, enabled: 0, nextRunAt: null, folderId: null })
    .where((e) => e.or([e("enabled", "<>", 0), e("held", "<>", 0)]))
    .execute()
  await correctColumns(db)
}

/**
 * Corrects the columns that depend on an automation's trigger, and invalid limits. An altered backup may contain other values, such as a
 * webhook secret in an automation that is listed with a schedule.
 */
async function correctColumns(db: DbOf<"automations">): Promise<void> {
  const rows = await db.selectFrom("automations").select(["id", "trigger", "minutes", "runsPerDay"]).execute()
  for (const row of rows) {
    const { kind } = getTrigger(row)
    const { data: budget = Budget.parse({}) } = Budget.safeParse(row)
    const columns = { kind, ...budget, ...(kind !== "hook" && { hookHash: null }) }
    await db.updateTable("automations").set(columns).where("id", "=", row.id).execute()
  }
}

/** Returns null for something that doesn't exist or that the user can't use. */
export interface HeldAutomationsDeps {
  db: DbOf<"automations">
  assistant(userId: string, assistantId: string): Promise<Assistant | null>
  /** Ids of the assistants that may be given tasks for the user. */
  delegateIds(userId: string): Promise<string[]>
  folderName(userId: string, folderId: string): Promise<string | null>
  modelName(modelId: string): Promise<string | null>
}

/** Returns the automations that were on in a restored backup. */
export async function listHeldAutomations(deps: HeldAutomationsDeps): Promise<ListedItem[]> {
  const rows = await deps.db
    .selectFrom("automations")
    .selectAll()
    .where("held", "=", 1)
    .orderBy("id")
    .execute()
  return Promise.all(
    rows.map(async (row) => {
      const trigger = getTrigger(row)
      return {
        kind: trigger.kind === "hook" ? "webhook" : "automation",
        id: row.id,
        ownerId: row.ownerId,
        name: row.name,
        does: row.prompt,
        trigger,
        automation: await describeHeldAutomation(deps, row, trigger),
      } as const
    }),
  )
}

async function describeHeldAutomation(
  deps: HeldAutomationsDeps,
  row: AutomationRow,
  trigger: Trigger,
): Promise<HeldAutomation> {
  const { ownerId, assistantId, notify } = row
  const assistant = assistantId === null ? null : await deps.assistant(ownerId, assistantId)
  const folder = async (id: string) => ({ id, name: await deps.folderName(ownerId, id) })
  const assistantFolders = listFolders(assistant)
  const named = getVectorIds(row).filter((id) => !assistantFolders.some((each) => each.id === id))
  const modelId = row.modelId ?? assistant?.modelId ?? null
  return {
    assistant:
      assistantId === null
        ? null
        : { id: assistantId, ...describeAssistant(assistant), instructions: assistant?.instructions ?? "" },
    folders: [...(await Promise.all(named.map(folder))), ...assistantFolders],
    delegates: assistant?.builtInTools[delegationKey] === true ? await listDelegates(deps, row) : [],
    triggerFolder: trigger.kind === "file" ? await folder(trigger.vectorId) : null,
    model: modelId === null ? null : { id: modelId, name: await deps.modelName(modelId) },
    notify,
    budget: { minutes: row.minutes, runsPerDay: row.runsPerDay },
  }
}

/** Another user's assistant asks for approval as usual, because `bypass` waives only its owner's approvals. */
const describeAssistant = (assistant: Assistant | null) => ({
  name: assistant?.name ?? null,
  bypassesApprovals: assistant?.owned === true && assistant.permissionMode === "bypass",
  tools: Object.entries(assistant?.builtInTools ?? {}).flatMap(([key, isOn]) => (isOn ? [key] : [])),
})

/** Includes folders that the assistant's owner can read and shares with the assistant. */
const listFolders = (assistant: Assistant | null) =>
  (assistant?.vectors ?? []).map(({ id, name }) => ({ id, name }))

/** Includes all assistants that these may give tasks to in turn, because they choose among the same ones. */
async function listDelegates(
  { assistant, delegateIds }: HeldAutomationsDeps,
  { ownerId, assistantId }: AutomationRow,
): Promise<HeldDelegate[]> {
  const ids = (await delegateIds(ownerId)).filter((id) => id !== assistantId)
  return Promise.all(
    ids.map(async (id) => {
      const delegate = await assistant(ownerId, id)
      return { id, ...describeAssistant(delegate), folders: listFolders(delegate) }
    }),
  )
}
