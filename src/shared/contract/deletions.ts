import { z } from "zod"
import { json } from "./endpoint.ts"
import { Timestamp } from "./primitives.ts"

/** How to undo a deletion. */
export const Undo = z
  .object({
    token: z.string().meta({ description: "For `POST /api/public/undo`; shown once" }),
    until: Timestamp.meta({ description: "Afterwards it is gone for good" }),
  })
  .meta({ id: "Undo" })
export type Undo = z.infer<typeof Undo>

export const DeletionKind = z
  .enum(["chat", "folder", "file", "assistant", "project"])
  .meta({ id: "DeletionKind" })
export type DeletionKind = z.infer<typeof DeletionKind>

export const deletions = {
  undo: json({
    method: "post",
    path: "/api/public/undo",
    summary: "Bring back whole what was deleted, with everything in it; all that was deleted by one request",
    scope: ["assistants", "folders"],
    body: z.object({ token: z.string().min(1).max(200) }),
    output: z.object({
      success: z.literal(true),
      kind: DeletionKind,
      id: z.string().meta({ description: "Of what was deleted, or the first of it; it keeps its id" }),
    }),
  }),
} as const
