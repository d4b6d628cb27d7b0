import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { DbOf } from "../../core/database/database.ts"
import { timestamp } from "../../core/ids.ts"
import { atWork } from "./run-state.ts"
import type { HeldItems } from "../../core/held-items.ts"
import { triggerOf } from "./stored-automation.ts"

/** Cancels waiting and running runs in a database that comes from a backup, and keeps automations off until an owner turns them on. */
export async function restAutomations(db: DbOf<"automations">): Promise<void> {
  const restored = new AppError("conflict", sentence("automations.restored")).toBody()
  await db
    .updateTable("automationRuns")
    .set({ status: "cancelled", endedAt: timestamp(), input: null, told: 1, error: JSON.stringify(restored) })
    .where("status", "in", ["queued", ...atWork])
    .execute()
  await db
    .updateTable("automations")
    .set({ held: 1, enabled: 0, nextRunAt: null, folderId: null })
    .where((e) => e.or([e("enabled", "<>", 0), e("held", "<>", 0)]))
    .execute()
}

/** Automations that were on in a restored backup. */
export async function listHeldAutomations(db: DbOf<"automations">): ReturnType<HeldItems["list"]> {
  const rows = await db
    .selectFrom("automations")
    .select(["id", "ownerId", "name", "prompt", "trigger"])
    .where("held", "=", 1)
    .orderBy("id")
    .execute()
  return rows.map((row) => {
    const trigger = triggerOf(row)
    const kind = trigger.kind === "hook" ? "webhook" : "automation"
    return { kind, id: row.id, ownerId: row.ownerId, name: row.name, does: row.prompt, trigger }
  })
}
