import { newId } from "../../../core/ids.ts"
import type { EngineToolCall } from "../../../engines/engine.ts"
import type { ToolCallPart } from "../transcript/message-parts.ts"
import { parseArgs } from "./parse-args.ts"

const longestName = 200
const callId = /^(?!__proto__$)[\w-]{1,100}$/

/**
 * A call as its answer keeps it. A model elsewhere may use an id twice, or one that can't stand in an address: such a call
 * gets an id of the box's own, as all do where `usedIds` is null.
 */
export function toCallPart(
  { toolCallId, name, args }: EngineToolCall,
  usedIds: Set<string> | null,
): ToolCallPart {
  const isFree = usedIds !== null && callId.test(toolCallId) && !usedIds.has(toolCallId)
  const id = isFree ? toolCallId : `call_${newId()}`
  usedIds?.add(id)
  return { type: "tool-call", toolCallId: id, toolName: name.slice(0, longestName), args: parseArgs(args) }
}
