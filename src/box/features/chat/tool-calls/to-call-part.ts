import { newId } from "../../../core/ids.ts"
import type { EngineToolCall } from "../../../engines/engine.ts"
import type { ToolCallPart } from "../transcript/message-parts.ts"
import { parseArgs } from "./parse-args.ts"

const maxNameLength = 200
const callId = /^(?!__proto__$)[\w-]{1,100}$/

/**
 * Returns a call as its answer stores it. A remote model may reuse an ID or send one that isn't valid in a URL; such a call gets an ID from
 * the box. If `usedIds` is null, every call does.
 */
export function toCallPart(
  { toolCallId, name, args }: EngineToolCall,
  usedIds: Set<string> | null,
): ToolCallPart {
  const isFree = usedIds !== null && callId.test(toolCallId) && !usedIds.has(toolCallId)
  const id = isFree ? toolCallId : `call_${newId()}`
  usedIds?.add(id)
  return { type: "tool-call", toolCallId: id, toolName: name.slice(0, maxNameLength), args: parseArgs(args) }
}
