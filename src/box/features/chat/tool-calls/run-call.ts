import { AppError } from "../../../../shared/contract/errors.ts"
import { onBehalfOf } from "../../../core/outbound/on-behalf-of.ts"
import { unlessAborted } from "../../../core/waiting/abort.ts"
import { toAppError } from "../../../http/error-response.ts"
import type { Tool, ToolResult } from "../../../tools/tool.ts"
import type { ToolCallPart } from "../transcript/message-parts.ts"
import { TaskWaits } from "./task-waits.ts"
import type { ToolEvent, ToolUse } from "./tool-use.ts"

/** Maximum number of parts that one result adds to an answer. */
const maxParts = 20

/** Runs one call within the answer's remaining time. A failure becomes the call's result. */
export async function runCall(
  { scope, limits, progress: { spent }, logger }: ToolUse,
  tool: Tool,
  { toolCallId, args }: Pick<ToolCallPart, "toolCallId" | "args">,
  signal: AbortSignal,
): Promise<ToolResult | TaskWaits> {
  const started = performance.now()
  const timeout = AbortSignal.timeout(Math.ceil(limits.milliseconds - spent.milliseconds))
  const ending = AbortSignal.any([signal, timeout])
  try {
    const context = { ...scope, toolCallId, signal: ending }
    // doesn't wait for a tool that ignores its signal
    return await unlessAborted(
      onBehalfOf({ tool: tool.name }, () => tool.run(args, context)),
      ending,
    )
  } catch (error) {
    if (error instanceof TaskWaits) return error
    if (signal.aborted) return { content: { error: "It was stopped." } }
    if (timeout.aborted) return { content: { error: "It took too long and was stopped." } }
    if (error instanceof AppError && error.code !== "internal") return { content: { error: error.message } }
    logger.error({ err: error, tool: tool.name }, "A tool failed")
    return { content: { error: "The tool failed." } }
  } finally {
    spent.milliseconds += performance.now() - started
  }
}

/** Stores the files of a result and returns it with the parts it adds to the answer, or an error if they can't be stored. */
export async function storeParts(
  { storeFile, logger }: ToolUse,
  { content, parts = [] }: ToolResult,
  { toolCallId, toolName }: ToolCallPart,
): Promise<{ content: unknown; parts: ToolEvent[] }> {
  if (parts.length > maxParts)
    logger.warn({ tool: toolName }, "A tool returned too many parts; some are omitted")
  const kept: ToolEvent[] = []
  try {
    for (const part of parts.slice(0, maxParts)) {
      if (part.type === "source") kept.push(part)
      else kept.push("bytes" in part ? await storeFile(part, toolCallId) : { ...part, toolCallId })
    }
    return { content, parts: kept }
  } catch (error) {
    const { message } = toAppError(error, logger)
    return { content: { error: `What it made couldn't be stored: ${message}` }, parts: kept }
  }
}
