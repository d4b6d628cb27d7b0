import { z } from "zod"
import { json } from "./endpoint.ts"
import { Id, Timestamp } from "./primitives.ts"

export const maxLimit = 1_000_000_000_000_000
const Most = z.int().min(0).max(maxLimit)

const four = <T extends z.ZodType>(value: T) => ({
  files: value,
  bytes: value,
  answers: value,
  tokens: value,
})

/** Current number of files and bytes; answers and tokens per day (UTC). */
const Limits = z
  .object(four(Most.nullable()))
  .meta({ id: "QuotaLimits", description: "`null`: no limit. `answers` and `tokens` are of a day (UTC)" })
export type Limits = z.infer<typeof Limits>

const OwnLimits = z.object(four(z.union([Most, z.literal("unlimited")]).nullable())).meta({
  id: "PersonQuotaLimits",
  description: "Of one person. `null`: as everybody. `answers` and `tokens` are of a day (UTC)",
})
export type OwnLimits = z.infer<typeof OwnLimits>

const Use = z.object(four(z.int())).meta({
  id: "QuotaUse",
  description: "Files and bytes now, answers and tokens of today while there is any limit on the box",
})
export type Use = z.infer<typeof Use>

const Quotas = z.object({
  default: Limits,
  people: z.array(z.object({ id: Id, name: z.string(), limits: OwnLimits, use: Use })),
  workspaces: z.array(z.object({ id: Id, name: z.string(), limits: Limits, use: Use })),
  resetsAt: Timestamp.meta({ description: "When the day of answers and tokens begins anew" }),
})
export type Quotas = z.infer<typeof Quotas>

const OwnQuota = z.object({
  limits: Limits,
  use: Use,
  resetsAt: Timestamp.meta({ description: "When the day of answers and tokens begins anew" }),
})
export type OwnQuota = z.infer<typeof OwnQuota>

const base = "/api/public/quotas" as const

export const quotas = {
  list: json({
    method: "get",
    path: base,
    summary: "Limits for everybody, each person and each workspace, with what is used; owners only",
    access: "owner",
    output: Quotas,
  }),
  setDefault: json({
    method: "put",
    path: `${base}/default`,
    summary: "Set the limits that hold for each person; owners only",
    access: "owner",
    body: Limits,
    output: z.object({ limits: Limits }),
  }),
  setPerson: json({
    method: "put",
    path: `${base}/people/:id`,
    summary: "Set the limits of one person; owners only",
    access: "owner",
    body: OwnLimits,
    output: z.object({ limits: OwnLimits }),
  }),
  setWorkspace: json({
    method: "put",
    path: `${base}/workspaces/:id`,
    summary: "Set the limits that the members of a workspace have together; owners only",
    access: "owner",
    body: Limits,
    output: z.object({ limits: Limits }),
  }),
  own: json({
    method: "get",
    path: "/api/public/me/quota",
    access: "full",
    summary: "The caller's own limits, and what they used of them",
    output: OwnQuota,
  }),
} as const
