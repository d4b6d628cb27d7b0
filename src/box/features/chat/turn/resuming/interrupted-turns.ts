import { isDeepStrictEqual } from "node:util"
import type { MessagePart } from "../../../../../shared/contract/chat.ts"
import type { DbOf } from "../../../../core/database/database.ts"
import type { ContextLabel } from "../../../../tools/tool.ts"
import { createAnswerRecord, type AnswerRecord, openCalls } from "../../transcript/message-parts.ts"
import type { AnswerKey, TranscriptStore } from "../../transcript/transcript-store.ts"
import { getRequest } from "../restore-turn.ts"
import { type BoxParts, modelOfTurn } from "../turn-deps.ts"
import type { Turn } from "../turn.ts"
import { createUnfinishedTurns, type UnfinishedTurns, type StoredUnfinishedTurn } from "./unfinished-turns.ts"

/** An answer that was interrupted while it was written. */
interface InterruptedAnswer {
  /** The parts up to the last finished step, from which the answer resumes. Each call has a result. */
  kept: readonly MessagePart[]
  /** The parts after that step, which are written again. */
  cutOff: readonly MessagePart[]
  /** Number of calls that were running or about to run. */
  unended: number
}

/** Part types that no model server can continue from the middle. */
const words: ReadonlySet<MessagePart["type"]> = new Set(["text", "reasoning"])

/**
 * Cuts an answer after its last finished step. Without a call, only the passages found for the answer are a step. A whole-document reading
 * starts again, because the model's notes are stored separately.
 */
export function cutAnswer(
  parts: readonly MessagePart[],
  { readsWhole }: { readsWhole: boolean },
): InterruptedAnswer {
  const end = parts.findLastIndex(({ type }) => !words.has(type)) + 1
  const steps = parts.slice(0, end)
  const isStep = ({ type }: MessagePart) => type === "tool-call" || (type === "source" && !readsWhole)
  if (!steps.some(isStep)) return { kept: [], cutOff: [...parts], unended: 0 }
  const open = openCalls(steps)
  const unknown = open.map(({ toolCallId }): MessagePart => ({
    type: "tool-result",
    toolCallId,
    result: unknownResult,
  }))
  return { kept: [...steps, ...unknown], cutOff: parts.slice(end), unended: open.length }
}

/** A call is never repeated automatically, because it may have taken effect. */
const unknownResult = {
  error:
    "It is unknown whether this was done: the server stopped while it ran, and another server continues. Check whether it was done before you do it again.",
}

/** Collects a resumed answer. The cut-off text stays until something replaces it. */
export function createResumedRecord({
  kept,
  cutOff,
}: Pick<InterruptedAnswer, "kept" | "cutOff">): AnswerRecord {
  const [newRecord, before] = [createAnswerRecord(kept), createAnswerRecord([...kept, ...cutOff])]
  let hasResumed = false
  const record = () => (hasResumed ? newRecord : before)

  return {
    add(event) {
      hasResumed ||= event.type === "text-delta" || event.type === "text" || event.type === "tool-call"
      newRecord.add(event)
      const isRemark = event.type === "error" || event.type === "notice"
      if (isRemark && !before.parts().some((part) => isDeepStrictEqual(part, event))) before.add(event)
    },
    content: () => record().content(),
    parts: () => record().parts(),
    takeNew: () => (hasResumed ? newRecord.takeNew() : []),
  }
}

/** A turn that was interrupted with the previous box, ready to resume. */
export interface CutTurn extends AnswerKey, Pick<Turn, "request" | "progress"> {
  /** Collects the answer. */
  record: AnswerRecord
  /** The API key that sent the request; null if there was none. */
  keyId: string | null
}

/**
 * Takes over the turns that were being written when the previous box stopped. Turns whose assistant or model no longer exists, and turns
 * that have stopped too many boxes, are left out: their answers end with the text they have.
 */
export async function takeCutTurns(
  db: DbOf<"chat">,
  box: BoxParts,
  transcript: TranscriptStore,
): Promise<{ started: UnfinishedTurns; turns: CutTurn[] }> {
  const { logger } = box
  const started = createUnfinishedTurns(db)
  const turns: Restored[] = []
  try {
    for (const stored of await started.list()) {
      const turn = await restore(box, transcript, stored)
      if (turn) turns.push(turn)
    }
    await started.take(turns)
  } catch (error) {
    logger.error({ err: error }, "Interrupted answers of the previous server can't resume")
    return { started, turns: [] }
  }
  if (turns.length > 0)
    logger.info({ count: turns.length }, "Interrupted answers of the previous server resume")
  return { started, turns }
}

/** A turn to resume, with the kept part of its answer. */
interface Restored extends CutTurn {
  kept: readonly MessagePart[]
}

/** It is unknown what interrupted calls have read, so they are treated as having read anything. */
const anything: readonly ContextLabel[] = [{ trusted: false, private: true }]

async function restore(
  box: BoxParts,
  transcript: TranscriptStore,
  { turn, progress, parts, ...answer }: StoredUnfinishedTurn,
): Promise<Restored | null> {
  const { assistantId, keyId, askedFiles, whole, approvals, notices, ...asked } = turn
  const assistant =
    assistantId === null ? null : await box.assistant(answer.ownerId, assistantId).catch(() => null)
  if (assistantId !== null && assistant === null) return null
  if ((await modelOfTurn(box, turn.modelId)) === null) return null
  const { kept, cutOff, unended } = cutAnswer(parts, { readsWhole: whole !== null })
  const { spent, sent } = progress
  const hasCalled = kept.some(({ type }) => type === "tool-call")
  return {
    ...answer,
    keyId,
    kept,
    record: createResumedRecord({ kept, cutOff }),
    request: {
      ...getRequest(asked, assistant, await transcript.history(answer.messageId)),
      askedFiles,
      whole,
      approvals,
      notices,
    },
    progress: {
      parts: kept,
      labels: !hasCalled ? [] : unended > 0 || progress.labels === null ? anything : progress.labels,
      decisions: new Map(),
      spent: { ...spent, calls: spent.calls + unended },
      sent: { addresses: new Set(sent.addresses), calls: sent.calls + unended },
      tasks: new Map(),
    },
  }
}
