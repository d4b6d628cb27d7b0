import { z } from "zod"
import { BackupPlan, PlannedBackup } from "../../../../shared/contract/storage.ts"
import type { BoxValues } from "../../../core/database/box-values.ts"
import { readStored } from "../../../core/database/sql-helpers.ts"

export const planKey = "backupPlan"

const Stored = z.object({
  plan: BackupPlan,
  /** ID of the plan's data directory; a copy of the directory has no plan. Plans of earlier versions don't have it. */
  dataDirectoryId: z.string().optional(),
  /** When the plan was made, in ms since 1970. */
  plannedAt: z.number(),
  last: PlannedBackup.nullable(),
  /** Names of the files that the plan has started in its directory, oldest first. No other file is ever removed. */
  names: z.array(z.string().regex(/^casella-backup-[\d-]+\.tgz$/)),
})
export type StoredPlan = Omit<z.infer<typeof Stored>, "dataDirectoryId">

/** The backup plan and its results, stored as one value. */
export function createPlanStore(
  values: Pick<BoxValues, "read" | "write" | "remove">,
  dataDirectoryId: string,
) {
  return {
    async read(): Promise<StoredPlan | null> {
      const text = await values.read(planKey)
      const stored = text === null ? undefined : readStored(Stored, text)
      return stored && (stored.dataDirectoryId ?? dataDirectoryId) === dataDirectoryId ? stored : null
    },
    async write(stored: StoredPlan | null): Promise<void> {
      if (stored === null) await values.remove(planKey)
      else await values.write([{ key: planKey, value: JSON.stringify({ ...stored, dataDirectoryId }) }])
    },
  }
}
