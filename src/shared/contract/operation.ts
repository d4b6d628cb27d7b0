import { z } from "zod"
import { bytes, json } from "./endpoint.ts"

/** Why something isn't ready, or is ready although nothing is there; in English, for administrators. */
const Reason = z.object({
  code: z.enum([
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
  ]),
  message: z.string(),
})
export const Check = z
  .object({ ok: z.boolean(), reason: Reason.optional() })
  .meta({ id: "Check", description: "One thing that the box needs to work" })
export type Check = z.infer<typeof Check>

export const Readiness = z
  .object({
    status: z.enum(["ready", "unready"]),
    checks: z.object({ database: Check, storage: Check, model: Check }),
  })
  .meta({ id: "Readiness" })
export type Readiness = z.infer<typeof Readiness>

/** For monitoring programs. */
export const operation = {
  ready: json({
    method: "get",
    path: "/api/ready",
    summary: "Whether the box can do its work: 200, or 503 with what it lacks; looks at most once a second",
    access: "public",
    otherStatus: 503,
    output: Readiness,
  }),
  metrics: bytes({
    method: "get",
    path: "/api/metrics",
    summary: "Figures of the whole box in Prometheus's text format; owners only",
    access: "owner",
    mediaType: "text/plain",
  }),
} as const
