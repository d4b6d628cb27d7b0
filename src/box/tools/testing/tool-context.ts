import type { ToolContext } from "../tool.ts"

/** The context of a call that is never cancelled. */
export function testContext(changes: Partial<ToolContext> = {}): ToolContext {
  return {
    userId: "user",
    chatId: "chat",
    messageId: "message",
    toolCallId: "call",
    folderIds: [],
    generated: [],
    staysHere: () => Promise.resolve(false),
    signal: new AbortController().signal,
    ...changes,
  }
}
