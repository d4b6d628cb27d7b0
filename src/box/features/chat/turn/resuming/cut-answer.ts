import { isDeepStrictEqual } from "node:util"
import type { MessagePart } from "../../../../../shared/contract/chat.ts"
import { createAnswerRecord, type AnswerRecord } from "../../transcript/answers/answer-record.ts"
import { openCalls } from "../../transcript/message-parts.ts"

/** An answer that was interrupted while it was written. */
export interface CutAnswer {
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
export function cutAnswer(parts: readonly MessagePart[], { readsWhole }: { readsWhole: boolean }): CutAnswer {
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
    "Nobody knows whether this was done: the box ended while it ran, and another one goes on. Look whether it was done before you do it again.",
}

/** Collects a resumed answer. The cut-off text stays until something replaces it. */
export function createCutRecord({ kept, cutOff }: Pick<CutAnswer, "kept" | "cutOff">): AnswerRecord {
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
