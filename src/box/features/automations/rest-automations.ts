import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { DbOf } from "../../core/database/database.ts"
import { timestamp } from "../../core/ids.ts"
import { atWork } from "./run-state.ts"
import { nextTime } from "./schedule.ts"

/** In a database that comes from a backup nothing is made up for: what waited or ran is cancelled, and times count from now. */
export async function restAutomations(db: DbOf<"automations">): Promise<void> {
  const restored = new AppError("conflict", sentence("automations.restored")).toBody()
  await db
    .updateTable("automationRuns")
    .set({ status: "cancelled", endedAt: timestamp(), input: null, told: 1, error: JSON.stringify(restored) })
    .where("status", "in", ["queued", ...atWork])
    .execute()
  for (const row of await db.selectFrom("automations").selectAll().where("enabled", "=", 1).execute())
    await db
      .updateTable("automations")
      .set({ nextRunAt: nextTime(row, Date.now()), timedAt: timestamp() })
      .where("id", "=", row.id)
      .execute()
}
