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

const Cron = atMost(200, z.string().trim().min(1)).describe(
  "Five fields: minute, hour, day of month, month, day of week. A day matches if either of the two day fields does.",
)

/** The trigger of an automation. */
export const Trigger = z
  .discriminatedUnion("kind", [
    z.object({
      kind: z.literal("schedule").describe("The automation runs on a schedule."),
      cron: Cron.describe("Cron expression with five fields, such as `0 8 * * 1-5`."),
      timeZone: atMost(64, z.string().min(1)).describe("IANA name of the time zone, such as `Europe/Rome`."),
    }),
    z.object({
      kind: z.literal("file").describe("The automation runs when a file is added or changed."),
      vectorId: Id.describe("Folder whose files trigger the automation."),
      match: atMost(200, z.string().trim().min(1))
        .nullable()
        .default(null)
        .describe(
          "Pattern of file names such as `*.pdf`, or of paths such as `**/invoices/*.{pdf,docx}`. null means every file.",
        ),
      on: z
        .array(z.enum(["added", "changed"]))
        .min(1)
        .default(["added", "changed"])
        .describe("Events that trigger a run: files that are `added`, `changed` or both."),
    }),
    z.object({ kind: z.literal("hook").describe("The automation runs when its webhook address is called.") }),
    z.object({ kind: z.literal("manual").describe("The automation runs only when someone starts it.") }),
  ])
  .meta({ id: "AutomationTrigger", description: "What starts an automation." })
export type Trigger = z.infer<typeof Trigger>
export type FileTrigger = Extract<Trigger, { kind: "file" }>

export const RunStatus = z
  .enum(["queued", "running", "waiting", "completed", "failed", "skipped", "cancelled"])
  .meta({
    id: "AutomationRunStatus",
    description: "State of a run. `waiting` means that a tool call waits for approval.",
  })
export type RunStatus = z.infer<typeof RunStatus>

const fileName = z
  .string()
  .optional()
  .describe("Name of the file at that time. Missing for a key without the scope `folders`.")

/** Why a run was started. */
export const Cause = z
  .discriminatedUnion("kind", [
    z.object({
      kind: z.literal("schedule").describe("A schedule was due."),
      at: Timestamp.describe(
        "When the run was due. It may start much later, for example after the computer was off.",
      ),
    }),
    z.object({
      kind: z.literal("file").describe("A file was added or changed."),
      fileId: Id.describe("The file."),
      fileName: fileName.describe("Name of the file when it triggered the run."),
      revision: z.int().describe("Revision of the file that triggered the run."),
    }),
    z.object({ kind: z.literal("hook").describe("The webhook was called.") }),
    z.object({
      kind: z.literal("manual").describe("A person or a program started the run."),
      userId: Id.describe("Person who started the run."),
      fileId: Id.optional().describe("File that the run is about. Missing if none was named."),
      fileName: fileName.describe("Name of the file when the run was started."),
      dryRun: z
        .literal(true)
        .optional()
        .describe("true if the run only simulates: nothing is sent or changed."),
    }),
  ])
  .meta({ id: "AutomationCause", description: "Why a run was started." })
export type Cause = z.infer<typeof Cause>

/** A single run of an automation. Each run is a chat. */
export const Run = z
  .object({
    id: Id.describe("Identifier of the run."),
    automationId: Id.describe("The automation."),
    status: RunStatus,
    cause: Cause.describe("Why the run was started."),
    chatId: z.string().nullable().describe("Chat with the transcript of the run; null until the run begins."),
    startedAt: Timestamp.nullable().describe("When the run began; null while it waits to begin."),
    endedAt: Timestamp.nullable().describe("When the run ended; null until then."),
    error: ErrorBody.nullable().describe("Why the run failed or was skipped; null otherwise."),
    attempt: z.int().describe("2 if the server stopped during the first attempt, otherwise 1."),
  })
  .meta({ id: "AutomationRun", description: "One run of an automation. Its transcript is a chat." })
export type Run = z.infer<typeof Run>

export const Budget = z
  .object({
    minutes: z.int().min(1).max(240).default(30).describe("Minutes after which a run is stopped, 1 to 240."),
    runsPerDay: z
      .int()
      .min(1)
      .max(1_000)
      .default(100)
      .describe("Runs per day, 1 to 1,000. Further runs are skipped."),
  })
  .meta({ id: "AutomationBudget", description: "Limits of an automation." })

export const Notify = z.enum(["always", "result", "never"]).meta({
  id: "AutomationNotify",
  description:
    "When the owner is notified. `always`: after each run. `result`: if there is a result, or the run failed. `never`: not at all.",
})
export type Notify = z.infer<typeof Notify>

/** An automation: work that runs by itself. */
export const Automation = z
  .object({
    id: Id.describe("Identifier of the automation."),
    name: z.string().describe("Display name, up to 120 characters."),
    enabled: z.boolean().describe("false if the automation is switched off."),
    trigger: Trigger.describe("What starts the automation."),
    assistantId: Id.nullable().describe("Assistant that does the task; null for none."),
    modelId: z
      .string()
      .nullable()
      .describe("Model that answers; null for the assistant's model or the server's chat model."),
    prompt: z
      .string()
      .describe("The task. `{{file.name}}`, `{{file.id}}`, `{{date}}` and `{{input}}` are replaced."),
    vectorIds: z.array(Id).describe("Folders to search."),
    reading: Reading,
    notify: Notify,
    watch: z
      .boolean()
      .describe(
        "true for a standing question: the owner is notified only when the passages found have changed.",
      ),
    budget: z
      .object({
        minutes: z.int().describe("Minutes after which a run is stopped."),
        runsPerDay: z.int().describe("Runs per day. Further runs are skipped."),
      })
      .describe("Limits of the automation."),
    nextRunAt: Timestamp.nullable().describe(
      "Next run by schedule; null for other triggers and while the automation is off.",
    ),
    lastRun: Run.nullable().describe("Newest run; null if there is none."),
    problem: ErrorBody.nullable().describe("Why the server switched the automation off; null if it didn't."),
    createdAt: Timestamp.describe("When the automation was created."),
  })
  .meta({ id: "Automation", description: "An automation: a task that runs by itself." })
export type Automation = z.infer<typeof Automation>

const fields = {
  name: atMost(120, z.string().trim().min(1)).describe("Display name, up to 120 characters."),
  enabled: z.boolean().describe("false switches the automation off."),
  trigger: Trigger.describe("What starts the automation."),
  assistantId: Id.nullable().describe("Assistant that does the task; null for none."),
  modelId: ModelId.nullable().describe(
    "Model that answers; null for the assistant's model or the server's chat model.",
  ),
  prompt: atMost(
    20_000,
    z.string().refine((text) => text.trim() !== "", wrong("not_empty")),
  ).describe(
    "The task, up to 20,000 characters. `{{file.name}}`, `{{file.id}}`, `{{date}}` and `{{input}}` are replaced.",
  ),
  vectorIds: z.array(Id).max(50).describe("Folders to search, at most 50."),
  reading: Reading,
  notify: Notify,
  watch: z.boolean().describe("true notifies only when the passages found have changed."),
  budget: Budget.describe("Limits of the automation."),
}

export const AutomationDraft = z
  .object({
    ...fields,
    enabled: fields.enabled
      .default(true)
      .describe("false creates the automation switched off. Default true."),
    assistantId: fields.assistantId
      .default(null)
      .describe("Assistant that does the task. Default null: none."),
    modelId: fields.modelId
      .default(null)
      .describe("Model that answers. Default null: the assistant's model or the server's chat model."),
    vectorIds: fields.vectorIds.default([]).describe("Folders to search, at most 50. Default: none."),
    reading: fields.reading.default("auto").describe("How much of the documents is read. Default `auto`."),
    notify: fields.notify.default("always").describe("When the owner is notified. Default `always`."),
    watch: fields.watch
      .default(false)
      .describe("true notifies only when the passages found have changed. Default false."),
    budget: Budget.prefault({}).describe(
      "Limits of the automation. Default: 30 minutes for a run, 100 runs a day.",
    ),
  })
  .meta({
    id: "AutomationDraft",
    description: "A new automation. All fields except `name`, `trigger` and `prompt` have defaults.",
  })
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

const automation = z.object({ automation: Automation.describe("The automation.") })
const run = z.object({ run: Run.describe("The run.") })

export const automations = {
  list: json({
    method: "get",
    path: "/api/public/automations",
    summary: "List automations",
    description: "Returns the caller's automations, newest first.",
    scope: "assistants",
    query: z.object(pageQuery),
    large: true,
    output: z.object({
      automations: z.array(Automation).describe("Automations of this page, newest first."),
      pagination: Pagination,
    }),
  }),
  create: json({
    method: "post",
    path: "/api/public/automations",
    summary: "Create an automation",
    description: "For a webhook, the response has the token. It is shown only once.",
    errors: ["not_found", "conflict"],
    scope: "assistants",
    needsConfirmedKey: true,
    body: AutomationDraft,
    status: 201,
    output: z.object({
      automation: Automation.describe("The new automation."),
      hook: z
        .object({
          token: z.string().describe("Secret token of the webhook, shown only once."),
          url: z.string().describe("Address to send `POST` requests to. It contains the token."),
        })
        .optional()
        .describe("Webhook of the automation. Only for the trigger `hook`."),
    }),
  }),
  read: json({
    method: "get",
    path: "/api/public/automations/:id",
    summary: "Get an automation",
    description: "Returns one of the caller's automations with its newest run.",
    scope: "assistants",
    output: automation,
  }),
  update: json({
    method: "patch",
    path: "/api/public/automations/:id",
    summary: "Change an automation",
    description:
      "Omitted fields keep their value. If the trigger becomes `hook`, the response has the new token, which is shown only once.",
    errors: ["conflict"],
    scope: "assistants",
    needsConfirmedKey: true,
    body: AutomationPatch,
    output: z.object({
      automation: Automation.describe("The changed automation."),
      hook: z
        .object({
          token: z.string().describe("Secret token of the webhook, shown only once."),
          url: z.string().describe("Address to send `POST` requests to. It contains the token."),
        })
        .optional()
        .describe("New webhook. Only if the trigger became `hook`."),
    }),
  }),
  remove: json({
    method: "delete",
    path: "/api/public/automations/:id",
    summary: "Delete an automation",
    description:
      "Deletes the automation and the list of its runs. A run in progress is stopped. The chats of the runs are kept.",
    scope: "assistants",
    output: z.object({
      success: z.literal(true).describe("Always true; a failure has an error status."),
      id: Id.describe("Identifier of the deleted automation."),
    }),
  }),
  runs: json({
    method: "get",
    path: "/api/public/automations/:id/runs",
    summary: "List the runs of an automation",
    description: "Newest first. The newest 11,000 runs are kept.",
    scope: "assistants",
    query: z.object(pageQuery),
    output: z.object({
      runs: z.array(Run).describe("Runs of this page, newest first."),
      pagination: Pagination,
    }),
  }),
  run: json({
    method: "post",
    path: "/api/public/automations/:id/run",
    summary: "Start an automation",
    description: "Starts a run at once, whatever the trigger is.",
    errors: ["conflict", "queue_full", "quota_exceeded"],
    scope: "assistants",
    needsConfirmedKey: true,
    query: z.object({
      fileId: Id.optional().describe("File that the run is about."),
      dryRun: queryBoolean.describe(
        "true simulates the run: nothing is sent or changed. Its chat shows what would have been done, and what would have needed approval.",
      ),
    }),
    status: 202,
    output: run,
  }),
  cancel: json({
    method: "post",
    path: "/api/public/runs/:runId/cancel",
    summary: "Cancel a run",
    description: "Cancels a run that waits, or stops a run in progress.",
    errors: ["conflict"],
    scope: "assistants",
    output: run,
  }),
  hook: json({
    method: "post",
    path: "/api/hooks/:token",
    summary: "Call a webhook",
    description:
      "Starts the automation of this webhook. The token in the path is the credential. The body, of any type, replaces `{{input}}` in the prompt.",
    errors: ["conflict", "payload_too_large", "queue_full", "quota_exceeded"],
    access: "public",
    status: 202,
    output: run,
  }),
} as const
