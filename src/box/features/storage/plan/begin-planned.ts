import type { BoxValues } from "../../../core/database/box-values.ts"
import type { OnDemand } from "../../../core/lazy.ts"
import { createPlanStore } from "./plan-store.ts"
import type { PlannedBackups } from "./planned-backups.ts"

/** Starts planned backups if there is a plan. A plan that is made later starts its own. */
export async function startPlannedBackups(
  values: Pick<BoxValues, "read" | "write" | "remove">,
  dataDirectoryId: string,
  planned: Pick<OnDemand<PlannedBackups>, "get">,
): Promise<void> {
  if ((await createPlanStore(values, dataDirectoryId).read()) !== null) await (await planned.get()).start()
}
