import type { BoxValues } from "../../../core/database/box-values.ts"
import type { OnDemand } from "../../../core/on-demand.ts"
import { createPlanStore } from "./plan-store.ts"
import type { PlannedBackups } from "./planned-backups.ts"

/** Begins planned backups where a plan is; those of a plan that is made later begin with it. */
export async function beginPlanned(
  values: Pick<BoxValues, "read" | "write" | "remove">,
  dataDirectoryId: string,
  planned: Pick<OnDemand<PlannedBackups>, "get">,
): Promise<void> {
  if ((await createPlanStore(values, dataDirectoryId).read()) !== null) await (await planned.get()).start()
}
