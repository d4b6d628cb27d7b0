import type { z } from "zod"
import { HistoryEntry, type HistoryStep } from "../../../shared/contract/filing.ts"
import { ownTables, type AnyTransaction, type DbOf } from "../../core/database/database.ts"
import { readStored } from "../../core/database/stored-json.ts"
import { timestamp } from "../../core/ids.ts"

const Detail = HistoryEntry.omit({ at: true, step: true })
type Detail = z.infer<typeof Detail>

/** A step in the history of a file. */
export interface Step {
  fileId: string
  step: HistoryStep
  /** A step with the same key is recorded only once per file. */
  key: string
  detail: Partial<Detail>
}

/** Maximum number of steps kept per file. */
const maxKept = 200

const nothing: Detail = {
  action: null,
  chatId: null,
  filingId: null,
  automation: null,
  by: null,
  from: null,
  to: null,
}

/** Records a step of an existing file. */
export async function recordStep(
  transaction: AnyTransaction,
  { fileId, step, key, detail }: Step,
): Promise<void> {
  const tables = ownTables<"filing">(transaction)
  await tables
    .insertInto("fileHistory")
    .values({
      fileId,
      step,
      stepKey: key,
      at: timestamp(),
      detail: JSON.stringify({ ...nothing, ...detail }),
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const newest = tables
    .selectFrom("fileHistory")
    .select("number")
    .where("fileId", "=", fileId)
    .orderBy("number", "desc")
    .limit(maxKept)
  await tables
    .deleteFrom("fileHistory")
    .where("fileId", "=", fileId)
    .where("number", "not in", newest)
    .execute()
}

/** Newest first. */
export async function readHistory(db: DbOf<"filing">, fileId: string): Promise<HistoryEntry[]> {
  const rows = await db
    .selectFrom("fileHistory")
    .select(["at", "step", "detail"])
    .where("fileId", "=", fileId)
    .orderBy("number", "desc")
    .execute()
  return rows.map(({ at, step, detail }) => ({ at, step, ...(readStored(Detail, detail) ?? nothing) }))
}

/** The newest step whose key starts with the prefix. */
export async function findStep(
  db: DbOf<"filing">,
  prefix: string,
): Promise<{ fileId: string; key: string; detail: Detail } | undefined> {
  const row = await db
    .selectFrom("fileHistory")
    .select(["fileId", "stepKey", "detail"])
    .where("stepKey", ">=", prefix)
    .where("stepKey", "<", `${prefix}\u{10ffff}`)
    .orderBy("stepKey", "desc")
    .limit(1)
    .executeTakeFirst()
  return row && { fileId: row.fileId, key: row.stepKey, detail: readStored(Detail, row.detail) ?? nothing }
}
