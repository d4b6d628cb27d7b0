import { z } from "zod"
import type { ToolDefinition } from "../../../tools/tool.ts"

/** Common properties of folder tools: they only read, their results may be written by anyone, and they are private. */
export const folderToolBase = {
  effects: ["read"],
  result: { trusted: false, private: true },
} as const satisfies Pick<ToolDefinition<never>, "effects" | "result">

/** An id that the model received. It has no description, because every word of one is part of every prompt. */
export const ReceivedId = z.string().max(100)
