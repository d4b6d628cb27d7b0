import { sql, type Insertable, type Selectable, type UpdateObject } from "kysely"
import { z } from "zod"
import { FactTable, Reading } from "../../../shared/contract/chat.ts"
import { ErrorBody } from "../../../shared/contract/errors.ts"
import type { QueueDraft, QueuePatch } from "../../../shared/contract/queue.ts"
import { readStored, readStoredIds } from "../../core/database/stored-json.ts"
import type { TablesOf } from "../../core/database/table-owners.ts"
import { newId, timestamp } from "../../core/ids.ts"
import type { Caller } from "../../http/caller.ts"
import { callerAfterChange, parseCaller, serialiseCaller } from "../../http/stored-caller.ts"

type Table = TablesOf<"queue">["queuedQuestions"]

const Flags = z.record(z.string(), z.boolean())

/** A queued question. */
export interface Question {
  id: string
  caller: Caller
  chatId: string
  content: string
  assistantId: string | null
  modelId: string | null
  vectorIds: string[]
  attachments: string[] | null
  /** Null means that the question's wording decides. */
  reading: Reading | null
  /** The files to use instead of all of its folders; null if none are named. */
  fileIds: string[] | null
  /** Whether it also reads files that a model wrote. */
  includeGenerated: boolean
  table: FactTable | null
  /** Tools of a chat without an assistant; null if none were named. */
  builtInTools: Record<string, boolean> | null
  /** The project of a chat that this question starts. */
  projectId: string | null
  /** The message it follows. Null: it starts the chat; undefined: it follows the newest message when it is asked. */
  after: string | null | undefined
  boxAddress: string
  now: boolean
  stopped: boolean
  problem: ErrorBody | null
  createdAt: string
  /** Number of changes to the question. */
  revision: number
}

/** A question, and the base URL at which its sender reaches the server. */
export type NewQuestion = QueueDraft & { boxAddress: string }

/** The row of a new question. */
export const toRow = (caller: Caller, chatId: string, draft: NewQuestion): Insertable<Table> => ({
  id: newId(),
  ownerId: caller.userId,
  chatId,
  content: draft.content,
  assistantId: draft.assistantId ?? null,
  modelId: draft.modelId ?? null,
  vectorIds: JSON.stringify(draft.vector ?? []),
  attachments: toJson(draft.attachments),
  reading: draft.reading ?? null,
  fileIds: toJson(draft.fileIds),
  includeGenerated: draft.includeGenerated ? 1 : 0,
  factTable: toJson(draft.table),
  builtInTools: toJson(draft.builtInTools),
  projectId: draft.projectId ?? null,
  afterId: draft.after === null ? "" : (draft.after ?? null),
  boxAddress: draft.boxAddress,
  asker: serialiseCaller(caller),
  createdAt: timestamp(),
})

/** The rights of the question after a patch. Asking it now doesn't change them. */
export function askerAfter(
  { caller: asker }: Pick<Question, "caller">,
  editor: Caller,
  patch: QueuePatch,
): Caller {
  const { now: _now, ...changes } = patch
  if (Object.values(changes).every((value) => value === undefined)) return asker
  return callerAfterChange(asker, editor, patch.content !== undefined)
}

/** The columns that a patch changes. It may fix the problem of the question, so that is cleared. */
export function toChanges(
  before: Question,
  editor: Caller,
  patch: QueuePatch,
): UpdateObject<TablesOf<"queue">, "queuedQuestions"> {
  const { content, assistantId, modelId, vector, attachments, reading, fileIds, table } = patch
  const { includeGenerated, builtInTools, now } = patch
  return {
    revision: sql`revision + 1`,
    asker: serialiseCaller(askerAfter(before, editor, patch)),
    problem: null,
    ...(content !== undefined && { content }),
    ...(assistantId !== undefined && { assistantId }),
    ...(modelId !== undefined && { modelId }),
    ...(vector !== undefined && { vectorIds: JSON.stringify(vector ?? []) }),
    ...(attachments !== undefined && { attachments: toJson(attachments) }),
    ...(reading !== undefined && { reading }),
    ...(fileIds !== undefined && { fileIds: toJson(fileIds) }),
    ...(includeGenerated !== undefined && { includeGenerated: includeGenerated ? 1 : 0 }),
    ...(table !== undefined && { factTable: toJson(table) }),
    ...(builtInTools !== undefined && { builtInTools: toJson(builtInTools) }),
    ...(now !== undefined && { now: 1 }),
  }
}

export function toQuestion(row: Selectable<Table>): Question {
  return {
    id: row.id,
    caller: parseCaller(row.ownerId, row.asker),
    chatId: row.chatId,
    content: row.content,
    assistantId: row.assistantId,
    modelId: row.modelId,
    vectorIds: readStoredIds(row.vectorIds),
    attachments: row.attachments === null ? null : readStoredIds(row.attachments),
    reading: Reading.safeParse(row.reading).data ?? null,
    fileIds: row.fileIds === null ? null : readStoredIds(row.fileIds),
    includeGenerated: row.includeGenerated === 1,
    table: row.factTable === null ? null : (readStored(FactTable, row.factTable) ?? null),
    builtInTools: row.builtInTools === null ? null : (readStored(Flags, row.builtInTools) ?? null),
    projectId: row.projectId,
    after: row.afterId === null ? undefined : row.afterId || null,
    boxAddress: row.boxAddress,
    now: row.now === 1,
    stopped: row.stopped === 1,
    problem: row.problem === null ? null : (readStored(ErrorBody, row.problem) ?? null),
    createdAt: row.createdAt,
    revision: row.revision,
  }
}

const toJson = (value: string[] | FactTable | Record<string, boolean> | null | undefined) =>
  value ? JSON.stringify(value) : null
