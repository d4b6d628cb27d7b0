import { z } from "zod"
import { bytes, json } from "./endpoint.ts"

/** Why something isn't ready, or is ready although nothing is there; in English, for administrators. */
const Reason = z.object({
  code: z
    .enum([
      "stopping",
      "database_refused",
      "database_silent",
      "storage_lost",
      "storage_unwritable",
      "disk_full",
      "objects_failing",
      "model_none",
      "model_starting",
      "model_loading",
      "model_failed",
    ])
    .describe("Why the check failed, for programs."),
  message: z.string().describe("Why the check failed, in a sentence for people."),
})
export const Check = z
  .object({
    ok: z.boolean().describe("true if it works."),
    reason: Reason.optional().describe("Why it doesn't work. Missing if it does."),
  })
  .meta({ id: "Check", description: "One thing that the server needs." })
export type Check = z.infer<typeof Check>

export const Readiness = z
  .object({
    status: z.enum(["ready", "unready"]).describe("`ready` if every check passed."),
    checks: z
      .object({
        database: Check.describe("Whether the database can be read and written."),
        storage: Check.describe("Whether files can be stored."),
        model: Check.describe("Whether the chosen chat model can be used."),
      })
      .describe("Result of each check."),
  })
  .meta({ id: "Readiness", description: "Whether the server can do its work." })
export type Readiness = z.infer<typeof Readiness>

/** For monitoring programs. */
export const operation = {
  ready: json({
    method: "get",
    path: "/api/ready",
    summary: "Check that the server is ready",
    description:
      "200 if the server can do its work, otherwise 503 with what is missing. The result is kept for a second.",
    access: "public",
    otherStatus: 503,
    output: Readiness,
  }),
  metrics: bytes({
    method: "get",
    path: "/api/metrics",
    summary: "Get metrics",
    description: "Returns metrics of the server in the text format of Prometheus. Owners only.",
    access: "owner",
    mediaType: "text/plain",
  }),
} as const
