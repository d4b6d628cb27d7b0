import type { FilingDraft } from "../../../shared/contract/filing.ts"
import type { DbOf } from "../../core/database/database.ts"
import { findStep, recordStep } from "./history.ts"
import { joinPath } from "./join-path.ts"

export interface CallHistoryDeps {
  db: DbOf<"filing">
  getName(userId: string): Promise<string>
  /** Name of a folder. */
  folderName(folderId: string): Promise<string>
}

/** A model's tool call. */
export interface NotedCall {
  ownerId: string
  chatId: string
  toolCallId: string
}

const getKey = ({ ownerId, chatId, toolCallId }: NotedCall) => `${ownerId}/${chatId}/${toolCallId}/`

/** Records in file histories which model calls wait for approval, and their outcome. */
export function createCallHistory({ db, getName, folderName }: CallHistoryDeps) {
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
