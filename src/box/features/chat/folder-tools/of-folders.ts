import { z } from "zod"
import type { ToolDefinition } from "../../../tools/tool.ts"

/** What all tools of folders are: they only look, and whatever they tell was written by anybody and is somebody's own. */
export const ofFolders = {
  effects: ["read"],
  result: { trusted: false, private: true },
} as const satisfies Pick<ToolDefinition<never>, "effects" | "result">

/** An id that a model was told. Nothing more is said of it: each word of a description stands in every prompt. */
export const ToldId = z.string().max(100)
