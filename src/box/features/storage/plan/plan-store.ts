import { z } from "zod"
import { BackupPlan, PlannedBackup } from "../../../../shared/contract/storage.ts"
import type { BoxValues } from "../../../core/database/box-values.ts"
import { readStored } from "../../../core/database/stored-json.ts"

export const planKey = "backupPlan"

const Stored = z.object({
  plan: BackupPlan,
  /** When it was made, in ms since 1970. */
  plannedAt: z.number(),
  last: PlannedBackup.nullable(),
  /** Names of the files that it has begun in its directory; no other is ever removed. Oldest first. */
  names: z.array(z.string().regex(/^casella-backup-[\d-]+\.tgz$/)),
})
export type StoredPlan = z.infer<typeof Stored>

/** The plan for backups and what came of it, as one value of the box. */
export function createPlanStore(values: Pick<BoxValues, "read" | "write" | "remove">) {
  return {
    async read(): Promise<StoredPlan | null> {
      const text = await values.read(planKey)
      return (text === null ? undefined : readStored(Stored, text)) ?? null
    },
    async write(stored: StoredPlan | null): Promise<void> {
      if (stored === null) await values.remove(planKey)
      else await values.write([{ key: planKey, value: JSON.stringify(stored) }])
    },
  }
}
