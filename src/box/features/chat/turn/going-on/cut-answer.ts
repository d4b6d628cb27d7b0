import { isDeepStrictEqual } from "node:util"
import type { MessagePart } from "../../../../../shared/contract/chat.ts"
import { createAnswerRecord, type AnswerRecord } from "../../transcript/answers/answer-record.ts"
import { openCalls } from "../../transcript/message-parts.ts"

/** An answer that was cut while it was written. */
export interface CutAnswer {
  /** Up to its last finished step: what it goes on from, each call with a result. */
  kept: readonly MessagePart[]
  /** What came after that, and is written anew. */
  cutOff: readonly MessagePart[]
  /** Calls that were under way, or about to be. */
  unended: number
}

/** Of which no model server goes on with a half. */
const words: ReadonlySet<MessagePart["type"]> = new Set(["text", "reasoning"])

/**
 * Cuts an answer after its last finished step. One without a call has none but the passages that were found for it, and one that
 * reads whole begins anew: what its model noted is kept elsewhere.
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

/** A call is never made again unasked: it may have been done. */
const unknownResult = {
  error:
    "Nobody knows whether this was done: the box ended while it ran, and another one goes on. Look whether it was done before you do it again.",
}

/** Collects an answer that goes on. What was cut off stands until something takes its place. */
export function createCutRecord({ kept, cutOff }: Pick<CutAnswer, "kept" | "cutOff">): AnswerRecord {
  const [anew, before] = [createAnswerRecord(kept), createAnswerRecord([...kept, ...cutOff])]
  let goesOn = false
  const record = () => (goesOn ? anew : before)

  return {
    add(event) {
      goesOn ||= event.type === "text-delta" || event.type === "text" || event.type === "tool-call"
      anew.add(event)
      const isRemark = event.type === "error" || event.type === "notice"
      if (isRemark && !before.parts().some((part) => isDeepStrictEqual(part, event))) before.add(event)
    },
    content: () => record().content(),
    parts: () => record().parts(),
    takeNew: () => (goesOn ? anew.takeNew() : []),
  }
}
