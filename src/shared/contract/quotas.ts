import { z } from "zod"
import { json } from "./endpoint.ts"
import { Id, Timestamp } from "./primitives.ts"

export const maxLimit = 1_000_000_000_000_000
const Most = z.int().min(0).max(maxLimit)

const four = <T extends z.ZodType>(value: T) => ({
  files: value.describe("Number of stored files."),
  bytes: value.describe("Bytes of stored files."),
  answers: value.describe("Answers on a day (UTC)."),
  tokens: value.describe("Tokens of answers on a day (UTC)."),
})

/** Current number of files and bytes; answers and tokens per day (UTC). */
const Limits = z.object(four(Most.nullable())).meta({
  id: "QuotaLimits",
  description:
    "Limits; null means no limit. `files` and `bytes` count what is stored, `answers` and `tokens` count a day (UTC).",
})
export type Limits = z.infer<typeof Limits>

const OwnLimits = z.object(four(z.union([Most, z.literal("unlimited")]).nullable())).meta({
  id: "PersonQuotaLimits",
  description:
    "Limits of one person; null means the default for everyone. `files` and `bytes` count what is stored, `answers` and `tokens` count a day (UTC).",
})
export type OwnLimits = z.infer<typeof OwnLimits>

const Use = z.object(four(z.int())).meta({
  id: "QuotaUse",
  description:
    "What is used: files and bytes now, answers and tokens today. Answers and tokens are counted only while the server has a limit.",
})
export type Use = z.infer<typeof Use>

const Quotas = z.object({
  default: Limits.describe("Limits of each person without own limits."),
  people: z
    .array(
      z.object({
        id: Id.describe("Identifier of the person."),
        name: z.string().describe("Name of the person."),
        limits: OwnLimits.describe("Limits of the person."),
        use: Use.describe("What the person uses."),
      }),
    )
    .describe("Limits and use of each person."),
  workspaces: z
    .array(
      z.object({
        id: Id.describe("Identifier of the workspace."),
        name: z.string().describe("Name of the workspace."),
        limits: Limits.describe("Limits for all members together."),
        use: Use.describe("What all members use together."),
      }),
    )
    .describe("Limits and use of each workspace."),
  resetsAt: Timestamp.describe("When the next day of answers and tokens begins."),
})
export type Quotas = z.infer<typeof Quotas>

const OwnQuota = z.object({
  limits: Limits.describe("Limits of the caller."),
  use: Use.describe("What the caller uses."),
  resetsAt: Timestamp.describe("When the next day of answers and tokens begins."),
})
export type OwnQuota = z.infer<typeof OwnQuota>

const base = "/api/public/quotas" as const

export const quotas = {
  list: json({
    method: "get",
    path: base,
    summary: "List quotas",
    description: "Returns limits and use of everyone, each person and each workspace. Owners only.",
    access: "owner",
    output: Quotas,
  }),
  setDefault: json({
    method: "put",
    path: `${base}/default`,
    summary: "Set the default quota",
    description: "Sets the limits of each person without own limits. Owners only.",
    access: "owner",
    body: Limits,
    output: z.object({ limits: Limits.describe("The new limits.") }),
  }),
  setPerson: json({
    method: "put",
    path: `${base}/people/:id`,
    summary: "Set the quota of a person",
    description: "Sets limits for one person. Owners only.",
    access: "owner",
    body: OwnLimits,
    output: z.object({ limits: OwnLimits.describe("The new limits.") }),
  }),
  setWorkspace: json({
    method: "put",
    path: `${base}/workspaces/:id`,
    summary: "Set the quota of a workspace",
    description: "Sets limits for the members of a workspace together. Owners only.",
    access: "owner",
    body: Limits,
    output: z.object({ limits: Limits.describe("The new limits.") }),
  }),
  own: json({
    method: "get",
    path: "/api/public/me/quota",
    access: "full",
    summary: "Get the caller's quota",
    description: "Returns the caller's limits and what they use.",
    output: OwnQuota,
  }),
} as const
