import { z } from "zod"
import { json } from "./endpoint.ts"
import { Timestamp } from "./primitives.ts"

/** How to undo a deletion. */
export const Undo = z
  .object({
    token: z.string().describe("Token for `POST /api/public/undo`, shown only once."),
    until: Timestamp.describe("When the deletion becomes permanent."),
  })
  .meta({ id: "Undo", description: "How to undo a deletion." })
export type Undo = z.infer<typeof Undo>

export const DeletionKind = z
  .enum(["chat", "folder", "file", "assistant", "project"])
  .meta({ id: "DeletionKind", description: "What was deleted." })
export type DeletionKind = z.infer<typeof DeletionKind>

export const deletions = {
  undo: json({
    method: "post",
    path: "/api/public/undo",
    summary: "Undo a deletion",
    description: "Restores everything that one request deleted, complete and with the same ids.",
    errors: ["not_found", "conflict"],
    scope: ["assistants", "folders"],
    body: z.object({
      token: z.string().min(1).max(200).describe("Token from the response of the deletion."),
    }),
    output: z.object({
      success: z.literal(true).describe("Always true; a failure has an error status."),
      kind: DeletionKind,
      id: z.string().describe("Identifier of what was restored, or of the first of several."),
    }),
  }),
} as const
