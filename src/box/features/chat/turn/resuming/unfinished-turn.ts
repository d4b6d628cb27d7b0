import { z } from "zod"
import { AskedFile } from "../../../../../shared/contract/chat.ts"
import { Notice } from "../../../../../shared/contract/folders.ts"
import { ParkedTurn } from "../../approvals/parked-turn.ts"
import { Labels } from "../../transcript/message-parts.ts"
import { toSent, toStored } from "../restore-turn.ts"
import type { TurnProgress, TurnRequest } from "../turn.ts"

const StoredNotice = Notice.transform((notice) => ({ ...notice, sentence: notice.sentence }))

/** The request without what its chat already stores: all that another box needs to resume the answer. */
export const UnfinishedTurn = ParkedTurn.omit({ spent: true, sent: true, tasks: true }).extend({
  /** The API key that sent the request and with which the answer ends; null if there was none. */
  keyId: z.string().nullable(),
  askedFiles: AskedFile.array().nullable(),
  whole: z
    .object({
      fileIds: z.array(z.string()).nullable(),
      list: z.boolean(),
      columns: z.array(z.string()).nullable(),
      notice: StoredNotice.nullable(),
    })
    .nullable(),
  approvals: z.enum(["wait", "deny", "dryRun"]),
  notices: StoredNotice.array(),
})
export type UnfinishedTurn = z.infer<typeof UnfinishedTurn>

/** The progress of the answer at its newest piece. */
export const UnfinishedTurnProgress = ParkedTurn.pick({ spent: true, sent: true }).extend({
  /** Labels of what its model had read; null: unknown. */
  labels: Labels.nullable(),
})
export type UnfinishedTurnProgress = z.infer<typeof UnfinishedTurnProgress>

export const toStartedTurn = (request: TurnRequest, keyId: string | null): UnfinishedTurn => ({
  ...toStored(request),
  keyId,
  askedFiles: request.askedFiles && [...request.askedFiles],
  whole: request.whole && { ...request.whole, fileIds: request.whole.fileIds && [...request.whole.fileIds] },
  approvals: request.approvals,
  notices: [...request.notices],
})

export const toStartedProgress = ({ spent, sent, labels }: TurnProgress): UnfinishedTurnProgress => ({
  spent,
  sent: toSent(sent),
  labels: labels && [...labels],
})
