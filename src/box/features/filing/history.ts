import type { z } from "zod"
import { HistoryEntry, type HistoryStep, type FilingDraft } from "../../../shared/contract/filing.ts"
import { ownTables, type AnyTransaction, type DbOf } from "../../core/database/database.ts"
import { readStored } from "../../core/database/sql-helpers.ts"
import { timestamp } from "../../core/ids.ts"
import { joinPath } from "./named-files.ts"

const Detail = HistoryEntry.omit({ at: true, step: true })
type Detail = z.infer<typeof Detail>

/** A step in the history of a file. */
interface Step {
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
    .onConflict((conflict) => conflict.columns(["fileId", "stepKey"]).doNothing())
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
async function findStep(
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

/** A model's tool call. */
export interface NotedCall {
  ownerId: string
  chatId: string
  toolCallId: string
}

const getKey = ({ ownerId, chatId, toolCallId }: NotedCall) => `${ownerId}/${chatId}/${toolCallId}/`

/**
 * Records in file histories which model calls wait for approval, and their outcome.
 * @param folderName name of a folder
 */
export function createCallHistory(
  db: DbOf<"filing">,
  getName: (userId: string) => Promise<string>,
  folderName: (folderId: string) => Promise<string>,
) {
  return {
    /** @param at when the call started to wait; remote models reuse call IDs */
    async recordProposal(call: NotedCall, draft: FilingDraft, at: string): Promise<void> {
      const { action, fileId } = draft
      const detail = { action, chatId: call.chatId, to: await wanted(draft) }
      const key = `proposed:${getKey(call)}${at}`
      await db
        .transaction()
        .execute((transaction) => recordStep(transaction, { fileId, step: "proposed", key, detail }))
    },

    async recordDecision({
      outcome,
      ...call
    }: NotedCall & { outcome: "allowed" | "denied" | "expired" }): Promise<void> {
      const proposed = await findStep(db, `proposed:${getKey(call)}`)
      if (!proposed) return
      const { fileId, detail } = proposed
      const key = proposed.key.replace("proposed:", "decided:")
      const by = outcome === "expired" ? null : await getName(call.ownerId)
      await db
        .transaction()
        .execute((transaction) =>
          recordStep(transaction, { fileId, step: outcome, key, detail: { ...detail, by } }),
        )
    },
  }

  async function wanted(draft: FilingDraft): Promise<string | null> {
    switch (draft.action) {
      case "rename":
        return draft.name
      case "move":
        return joinPath(await folderName(draft.vectorId), draft.folder)
      case "tag":
        return draft.tags.join(", ")
      case "note":
        return draft.name ?? null
    }
  }
}
