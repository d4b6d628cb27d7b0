import type { MessagePart } from "../../../../../shared/contract/chat.ts"
import type { DbOf } from "../../../../core/database/database.ts"
import type { Logger } from "../../../../core/logging/logger.ts"
import type { ContextLabel } from "../../../../tools/tool.ts"
import type { AnswerRecord } from "../../transcript/answers/answer-record.ts"
import type { AnswerKey, TranscriptStore } from "../../transcript/transcript-store.ts"
import type { CheckDeps } from "../check-request.ts"
import { modelOfTurn } from "../models-to-ask.ts"
import { getRequest } from "../restore-turn.ts"
import type { Turn } from "../turn.ts"
import { createUnfinishedTurns, type UnfinishedTurns, type StoredUnfinishedTurn } from "./unfinished-turns.ts"
import { createCutRecord, cutAnswer } from "./cut-answer.ts"

/** A turn that was interrupted with the previous box, ready to resume. */
export interface CutTurn extends AnswerKey, Pick<Turn, "request" | "progress"> {
  /** Collects the answer. */
  record: AnswerRecord
  /** The API key that sent the request; null if there was none. */
  keyId: string | null
}

interface CutTurnsDeps extends Pick<CheckDeps, "assistant" | "engine" | "namedModel"> {
  db: DbOf<"chat">
  transcript: Pick<TranscriptStore, "history">
  logger: Logger
}

/**
 * Takes over the turns that were being written when the previous box stopped. Turns whose assistant or model no longer exists, and turns
 * that have stopped too many boxes, are left out: their answers end with the text they have.
 */
export async function takeCutTurns(
  deps: CutTurnsDeps,
): Promise<{ begun: UnfinishedTurns; turns: CutTurn[] }> {
  const begun = createUnfinishedTurns(deps.db)
  const turns: Restored[] = []
  try {
    for (const stored of await begun.list()) {
      const turn = await restore(deps, stored)
      if (turn) turns.push(turn)
    }
    await begun.take(turns)
  } catch (error) {
    deps.logger.error({ err: error }, "Answers that were cut off with the previous box can't resume")
    return { begun, turns: [] }
  }
  if (turns.length > 0)
    deps.logger.info({ count: turns.length }, "Answers that were cut off with the previous box resume")
  return { begun, turns }
}

/** A turn to resume, with the kept part of its answer. */
interface Restored extends CutTurn {
  kept: readonly MessagePart[]
}

/** It is unknown what interrupted calls have read, so they are treated as having read anything. */
const anything: readonly ContextLabel[] = [{ trusted: false, private: true }]

async function restore(
  deps: CutTurnsDeps,
  { turn, progress, parts, ...answer }: StoredUnfinishedTurn,
): Promise<Restored | null> {
  const { assistantId, keyId, askedFiles, whole, approvals, notices, ...asked } = turn
  const assistant =
    assistantId === null ? null : await deps.assistant(answer.ownerId, assistantId).catch(() => null)
  if (assistantId !== null && assistant === null) return null
  if ((await modelOfTurn(deps, turn.modelId)) === null) return null
  const { kept, cutOff, unended } = cutAnswer(parts, { readsWhole: whole !== null })
  const { spent, sent } = progress
  const hasCalled = kept.some(({ type }) => type === "tool-call")
  return {
    ...answer,
    keyId,
    kept,
    record: createCutRecord({ kept, cutOff }),
    request: {
      ...getRequest(asked, assistant, await deps.transcript.history(answer.messageId)),
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
