import { z } from "zod"
import { Reading } from "./chat.ts"
import { json } from "./endpoint.ts"
import { ErrorBody } from "./errors.ts"
import { ModelId } from "./model-servers.ts"
import { atMost, Id, pageQuery, Pagination, queryBoolean, Timestamp } from "./primitives.ts"
import { wrong } from "./wrong.ts"

/** Maximum size of a webhook's body, in bytes. */
export const maxHookBodyLength = 64 * 1024
/** Maximum number of waiting runs of one automation; further runs are skipped. */
export const maxWaitingRuns = 100

const Cron = atMost(200, z.string().trim().min(1)).meta({
  description: "Minute, hour, day of month, month, day of week; the two days combine by OR",
})

/** The trigger of an automation. */
export const Trigger = z
  .discriminatedUnion("kind", [
    z.object({
      kind: z.literal("schedule"),
      cron: Cron,
      timeZone: atMost(64, z.string().min(1)).meta({ description: "IANA name such as Europe/Rome" }),
    }),
    z.object({
      kind: z.literal("file"),
      vectorId: Id,
      match: atMost(200, z.string().trim().min(1)).nullable().default(null).meta({
        description: "A pattern such as *.pdf, or **/invoices/*.{pdf,docx} of paths; null: every file",
      }),
      on: z
        .array(z.enum(["added", "changed"]))
        .min(1)
        .default(["added", "changed"]),
    }),
    z.object({ kind: z.literal("hook") }),
    z.object({ kind: z.literal("manual") }),
  ])
  .meta({ id: "AutomationTrigger" })
export type Trigger = z.infer<typeof Trigger>
export type FileTrigger = Extract<Trigger, { kind: "file" }>

export const RunStatus = z
  .enum(["queued", "running", "waiting", "completed", "failed", "skipped", "cancelled"])
  .meta({ id: "AutomationRunStatus", description: "`waiting`: for an approval" })
export type RunStatus = z.infer<typeof RunStatus>

const fileName = z.string().optional().meta({
  description: "The file's name when the run was caused; absent for a key that reads no folders",
})

/** Why a run was started. */
export const Cause = z
  .discriminatedUnion("kind", [
    z.object({
      kind: z.literal("schedule"),
      at: Timestamp.meta({ description: "The time it was due, which may be long before it began" }),
    }),
    z.object({ kind: z.literal("file"), fileId: Id, fileName, revision: z.int() }),
    z.object({ kind: z.literal("hook") }),
    z.object({
      kind: z.literal("manual"),
      userId: Id,
      fileId: Id.optional().meta({ description: "The file it is about, where one was named" }),
      fileName,
      dryRun: z.literal(true).optional().meta({ description: "Nothing was sent or changed" }),
    }),
  ])
  .meta({ id: "AutomationCause" })
export type Cause = z.infer<typeof Cause>

/** A single run of an automation. Each run is a chat. */
export const Run = z
  .object({
    id: Id,
    automationId: Id,
    status: RunStatus,
    cause: Cause,
    chatId: z.string().nullable().meta({ description: "null until it begins" }),
    startedAt: Timestamp.nullable(),
    endedAt: Timestamp.nullable(),
    error: ErrorBody.nullable().meta({ description: "Why it failed or was skipped" }),
    attempt: z.int().meta({ description: "2 where the box ended in the midst of the first" }),
  })
  .meta({ id: "AutomationRun" })
export type Run = z.infer<typeof Run>

export const Budget = z
  .object({
    minutes: z.int().min(1).max(240).default(30).meta({ description: "A run that takes longer is stopped" }),
    runsPerDay: z.int().min(1).max(1_000).default(100).meta({ description: "More are skipped" }),
  })
  .meta({ id: "AutomationBudget" })

export const Notify = z.enum(["always", "result", "never"]).meta({
  id: "AutomationNotify",
  description: "`result`: where there is something to tell, or it failed",
})
export type Notify = z.infer<typeof Notify>

/** An automation: work that runs by itself. */
export const Automation = z
  .object({
    id: Id,
    name: z.string(),
    enabled: z.boolean(),
    trigger: Trigger,
    assistantId: Id.nullable(),
    modelId: z.string().nullable(),
    prompt: z.string(),
    vectorIds: z.array(Id),
    reading: Reading,
    notify: Notify,
    watch: z
      .boolean()
      .meta({ description: "A standing question: told only when its passages say something else" }),
    budget: z.object({ minutes: z.int(), runsPerDay: z.int() }),
    nextRunAt: Timestamp.nullable(),
    lastRun: Run.nullable(),
    problem: ErrorBody.nullable().meta({ description: "Why the box switched it off" }),
    createdAt: Timestamp,
  })
  .meta({ id: "Automation" })
export type Automation = z.infer<typeof Automation>

const fields = {
  name: atMost(120, z.string().trim().min(1)),
  enabled: z.boolean(),
  trigger: Trigger,
  assistantId: Id.nullable(),
  modelId: ModelId.nullable(),
  prompt: atMost(
    20_000,
    z.string().refine((text) => text.trim() !== "", wrong("not_empty")),
  ).meta({ description: "May hold {{file.name}}, {{file.id}}, {{date}} and {{input}}" }),
  vectorIds: z.array(Id).max(50),
  reading: Reading,
  notify: Notify,
  watch: z.boolean(),
  budget: Budget,
}

export const AutomationDraft = z
  .object({
    ...fields,
    enabled: fields.enabled.default(true),
    assistantId: fields.assistantId.default(null),
    modelId: fields.modelId.default(null),
    vectorIds: fields.vectorIds.default([]),
    reading: fields.reading.default("auto"),
    notify: fields.notify.default("always"),
    watch: fields.watch.default(false),
    budget: Budget.prefault({}),
  })
  .meta({ id: "AutomationDraft" })
export type AutomationDraft = z.infer<typeof AutomationDraft>

/** Omitted fields stay unchanged. */
export const AutomationPatch = z
  .object(fields)
  .partial()
  .refine((patch) => Object.values(patch).some((value) => value !== undefined), {
    path: ["name"],
    ...wrong("missing"),
  })
export type AutomationPatch = z.infer<typeof AutomationPatch>

const automation = z.object({ automation: Automation })
const run = z.object({ run: Run })

export const automations = {
  list: json({
    method: "get",
    path: "/api/public/automations",
    summary: "The caller's automations, newest first",
    scope: "assistants",
    query: z.object(pageQuery),
    large: true,
    output: z.object({ automations: z.array(Automation), pagination: Pagination }),
  }),
  create: json({
    method: "post",
    path: "/api/public/automations",
    summary: "Create an automation; of a hook, the answer is the only time its token is shown",
    scope: "assistants",
    needsConfirmedKey: true,
    body: AutomationDraft,
    status: 201,
    output: z.object({
      automation: Automation,
      hook: z.object({ token: z.string(), url: z.string() }).optional(),
    }),
  }),
  read: json({
    method: "get",
    path: "/api/public/automations/:id",
    summary: "One automation",
    scope: "assistants",
    output: automation,
  }),
  update: json({
    method: "patch",
    path: "/api/public/automations/:id",
    summary: "Change an automation; what becomes a hook is given a token, shown once",
    scope: "assistants",
    needsConfirmedKey: true,
    body: AutomationPatch,
    output: z.object({
      automation: Automation,
      hook: z.object({ token: z.string(), url: z.string() }).optional(),
    }),
  }),
  remove: json({
    method: "delete",
    path: "/api/public/automations/:id",
    summary: "Delete an automation with the list of its runs; what runs is stopped, its conversations stay",
    scope: "assistants",
    output: z.object({ success: z.literal(true), id: Id }),
  }),
  runs: json({
    method: "get",
    path: "/api/public/automations/:id/runs",
    summary: "Its runs, newest first; the newest 11,000 are kept",
    scope: "assistants",
    query: z.object(pageQuery),
    output: z.object({ runs: z.array(Run), pagination: Pagination }),
  }),
  run: json({
    method: "post",
    path: "/api/public/automations/:id/run",
    summary: "Run it now, whatever its trigger",
    scope: "assistants",
    needsConfirmedKey: true,
    query: z.object({
      fileId: Id.optional().meta({ description: "The file it is about" }),
      dryRun: queryBoolean.meta({
        description:
          "Nothing is sent or changed: its conversation tells what would be, and what would wait for an approval",
      }),
    }),
    status: 202,
    output: run,
  }),
  cancel: json({
    method: "post",
    path: "/api/public/runs/:runId/cancel",
    summary: "Cancel a run that waits, or stop one that runs",
    scope: "assistants",
    output: run,
  }),
  hook: json({
    method: "post",
    path: "/api/hooks/:token",
    summary: "Run the automation whose hook this is; the body, of any kind, stands for {{input}}",
    access: "public",
    status: 202,
    output: run,
  }),
} as const
