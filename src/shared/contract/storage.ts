import { z } from "zod"
import { Automation, Notify, Trigger } from "./automations.ts"
import { bytes, json, Scope, upload } from "./endpoint.ts"
import { Visibility } from "./folders.ts"
import { ModelRole } from "./models.ts"
import { Timestamp } from "./primitives.ts"
import { SentenceBody } from "./sentence.ts"
import { wrong } from "./wrong.ts"

const Bytes = z.int().min(0)

export const StoragePart = z.object({
  name: z
    .enum([
      "documents",
      "models",
      "index",
      "database",
      "trash",
      "logs",
      "copies",
      "made",
      "tables",
      "pictures",
      "languages",
      "transit",
      "desktop",
      "reserve",
      "other",
    ])
    .describe(
      "What uses the disk. `made`: files that tools created in chats. `tables`: tables of spreadsheets. `pictures`: avatars of notifications. `languages`: data for reading scans. `transit`: uploads in progress and temporary files. `desktop`: data of the desktop program. `reserve`: space that is given up when the disk is full.",
    ),
  bytes: Bytes.describe("Size in bytes."),
  complete: z.boolean().describe("false if there was more than could be counted in a few seconds."),
})
export type StoragePart = z.infer<typeof StoragePart>

/** An older copy of the box's data that is kept in case it is needed. */
export const StoredCopy = z
  .object({
    id: z.string().describe("Identifier of the copy."),
    kind: z
      .enum(["snapshot", "replaced"])
      .describe(
        "`snapshot`: the database before an update. `replaced`: data that a restored backup replaced.",
      ),
    bytes: Bytes.describe("Size in bytes."),
    createdAt: Timestamp.describe("When the copy was made."),
  })
  .meta({ id: "StoredCopy", description: "An older copy of the server's data." })
export type StoredCopy = z.infer<typeof StoredCopy>

/** A single file with everything that can't be recreated: database, uploaded documents and trash, but not models. */
export const Backup = z
  .object({
    status: z.enum(["running", "completed", "failed"]).describe("State of the backup."),
    fileName: z.string().describe("Name of the file."),
    startedAt: Timestamp.describe("When the backup was started."),
    doneBytes: Bytes.describe("Bytes of `totalBytes` that are in it, before compression."),
    totalBytes: Bytes.describe("Bytes to back up, before compression."),
    sizeBytes: Bytes.nullable().describe("Size of the file in bytes; null until it is complete."),
    error: z
      .string()
      .nullable()
      .describe("Why the backup failed, in a sentence for people; null if it didn't."),
    sentence: SentenceBody.optional(),
  })
  .meta({
    id: "Backup",
    description: "A backup in one file: database, uploaded documents and trash, but no models.",
  })
export type Backup = z.infer<typeof Backup>

/** When and where the box makes backups automatically. Times are in this computer's time zone. */
export const BackupPlan = z
  .object({
    every: z.enum(["day", "week"]).describe("How often a backup is made."),
    weekday: z
      .int()
      .min(0)
      .max(6)
      .default(1)
      .describe("Day of weekly backups, 0 (Sunday) to 6. Default 1 (Monday)."),
    at: z
      .string()
      .regex(/^([01]\d|2[0-3]):[0-5]\d$/, wrong("time_of_day"))
      .nullable()
      .describe("Time of day, such as `21:30`; null for as soon as the server runs on that day."),
    directory: z
      .string()
      .trim()
      .min(1)
      .max(4096)
      .describe("Absolute path of an existing directory for the backups."),
    keep: z.int().min(1).max(100).describe("Number of newest backups to keep, 1 to 100."),
  })
  .meta({
    id: "BackupPlan",
    description: "When and where backups are made automatically. Times are in the time zone of the server.",
  })
export type BackupPlan = z.infer<typeof BackupPlan>

/** The result of the last scheduled backup. */
export const PlannedBackup = z
  .object({
    at: Timestamp.describe("When it was made."),
    path: z.string().describe("Path of the file."),
    sizeBytes: Bytes.nullable().describe("Size of the file in bytes; null if the backup failed."),
    error: z.string().nullable().describe("Why it failed, in a sentence for people; null if it didn't."),
    sentence: SentenceBody.optional(),
  })
  .meta({ id: "PlannedBackup", description: "Result of the last scheduled backup." })
export type PlannedBackup = z.infer<typeof PlannedBackup>

export const BackupPlanState = z
  .object({
    plan: BackupPlan.nullable().describe(
      "When and where backups are made; null if no backups are scheduled.",
    ),
    running: z.boolean().describe("true while a scheduled backup is being made."),
    last: PlannedBackup.nullable().describe("Result of the last scheduled backup; null if there is none."),
    nextAt: Timestamp.nullable().describe(
      "When the next backup is made; null for none. A missed backup is made at once.",
    ),
  })
  .meta({ id: "BackupPlanState", description: "Scheduled backups." })
export type BackupPlanState = z.infer<typeof BackupPlanState>

/** A checked backup that will replace the current data at the next start. */
export const StagedRestore = z
  .object({
    stagedAt: Timestamp.describe("When the backup was uploaded."),
    people: z.int().describe("People in the backup."),
    folders: z.int().describe("Folders in the backup."),
    files: z.int().describe("Files in the backup."),
    chats: z.int().describe("Chats in the backup."),
  })
  .meta({
    id: "StagedRestore",
    description: "A verified backup that replaces the current data at the next start.",
  })
export type StagedRestore = z.infer<typeof StagedRestore>

/** Whether the whole database was readable at the last check, which runs at each start and then daily. */
export const DatabaseHealth = z
  .object({
    status: z.enum(["unchecked", "ok", "damaged"]).describe("Whether the whole database could be read."),
    checkedAt: Timestamp.nullable().describe("When it was last checked; null if it hasn't been."),
    damagedTables: z.array(z.string()).describe("Tables that couldn't be read."),
  })
  .meta({
    id: "DatabaseHealth",
    description: "Result of the last check of the database, which runs at each start and once a day.",
  })
export type DatabaseHealth = z.infer<typeof DatabaseHealth>

export const StorageOverview = z
  .object({
    dataDir: z.string().describe("Data directory of the server."),
    freeBytes: Bytes.describe("Free space of its disk in bytes."),
    parts: z.array(StoragePart).describe("What uses the disk, by part."),
    copies: z.array(StoredCopy).describe("Older copies of the data, newest first."),
    backup: Backup.nullable().describe("The newest backup; null if there is none."),
    restore: StagedRestore.nullable().describe(
      "Backup that will replace the data at the next start; null for none.",
    ),
    database: DatabaseHealth,
  })
  .meta({ id: "StorageOverview", description: "What uses the disk." })
export type StorageOverview = z.infer<typeof StorageOverview>

/** The name is null if the item no longer exists, or the automation's owner can't use it. */
const NamedThing = z.object({
  id: z.string().describe("Its identifier."),
  name: z.string().nullable().describe("Its name; null if unknown."),
})

const HeldAssistant = NamedThing.extend({
  bypassesApprovals: z.boolean().describe("true if its tool calls need no approval."),
  tools: z.array(z.string()).describe("Keys of its tools."),
})

/** An assistant that may be given tasks by a held automation's assistant. */
export const HeldDelegate = HeldAssistant.extend({
  folders: z.array(NamedThing).describe("Folders that it reads."),
}).meta({
  id: "HeldDelegate",
  description: "An assistant that a held automation's assistant may delegate tasks to.",
})
export type HeldDelegate = z.infer<typeof HeldDelegate>

/** The resources a held automation runs with, and whether anyone is notified. */
export const HeldAutomation = z
  .object({
    assistant: HeldAssistant.extend({ instructions: z.string().describe("Instructions of the assistant.") })
      .nullable()
      .describe("Its assistant; null for none."),
    folders: z.array(NamedThing).describe("Folders of the automation and its assistant."),
    delegates: z
      .array(HeldDelegate)
      .optional()
      .describe("Assistants that its assistant may delegate tasks to."),
    triggerFolder: NamedThing.nullable().describe("Folder whose files trigger it; null for other triggers."),
    model: NamedThing.nullable().describe("Its model; null for the default."),
    notify: Notify,
    budget: Automation.shape.budget.describe("Limits of the automation."),
  })
  .meta({ id: "HeldAutomation", description: "What a held automation would use." })
export type HeldAutomation = z.infer<typeof HeldAutomation>

/** An item that was on in a restored backup and is off until an owner decides. */
export const HeldItem = z
  .object({
    kind: z
      .enum([
        "program",
        "mcp_server",
        "model_server",
        "folder",
        "automation",
        "webhook",
        "setting",
        "api_key",
        "owner",
      ])
      .describe("What it is."),
    id: z.string().min(1).describe("Its identifier."),
    name: z.string().describe("Its name; for a setting, the key of the setting."),
    person: z.string().nullable().describe("Its owner; null if it belongs to the server."),
    does: z
      .string()
      .describe(
        "What would be run, reached, read or asked, such as a command, an address, a path or a prompt.",
      ),
    trigger: Trigger.nullable().describe(
      "What would trigger the automation or webhook; null for other kinds.",
    ),
    automation: HeldAutomation.optional().describe(
      "What the automation would use. Only for automations and webhooks.",
    ),
    visibility: Visibility.optional().describe("Who else can read the files of a folder. Only for folders."),
    scopes: z.array(Scope).nullable().optional().describe("Scopes of an API key; null for full rights."),
    toolCount: z.int().min(0).optional().describe("Tools that an MCP server or program last offered."),
    roles: z
      .array(ModelRole)
      .optional()
      .describe(
        "Roles of the chosen models of a model server. For `embedding`, it receives the text of all folders that may leave the computer.",
      ),
  })
  .meta({ id: "HeldItem", description: "Something in a restored backup that is off until an owner decides." })
export type HeldItem = z.infer<typeof HeldItem>

export const HeldDecision = z
  .object({
    ...HeldItem.shape,
    decision: z.enum(["turn_on", "keep_off"]).describe("`turn_on` or `keep_off`."),
    key: z.string().max(256).optional().describe("The whole API key. Required to turn one on."),
  })
  .meta({
    id: "HeldDecision",
    description: "A decision about an item as it was shown. 409 if the item has changed since.",
  })
export type HeldDecision = z.infer<typeof HeldDecision>

const success = z.object({ success: z.literal(true).describe("Always true; a failure has an error status.") })

/** Only for owners with full rights, because a backup contains everyone's data. */
export const storage = {
  read: json({
    method: "get",
    path: "/api/public/storage",
    summary: "Get disk usage",
    description:
      "Returns what uses the disk, older copies of the data, and the state of backups. Owners only.",
    access: "owner",
    output: z.object({ storage: StorageOverview }),
  }),
  emptyTrash: json({
    method: "delete",
    path: "/api/public/storage/trash",
    summary: "Empty everyone's trash",
    description: "Permanently deletes all files in the trash of this server. Owners only.",
    access: "owner",
    output: success,
  }),
  removeCopy: json({
    method: "delete",
    path: "/api/public/storage/copies/:id",
    summary: "Delete an older copy",
    description: "Permanently deletes an older copy of the data. Owners only.",
    access: "owner",
    output: success,
  }),
  startBackup: json({
    method: "post",
    path: "/api/public/storage/backup",
    summary: "Start a backup",
    description:
      "Starts a backup into one file. The previous backup is deleted once the new one is complete. Owners only.",
    errors: ["conflict", "disk_full"],
    access: "owner",
    status: 202,
    output: z.object({ backup: Backup.describe("The backup.") }),
  }),
  backup: json({
    method: "get",
    path: "/api/public/storage/backup",
    summary: "Get the backup",
    description: "Returns the state of the newest backup. Owners only.",
    access: "owner",
    output: z.object({ backup: Backup.nullable().describe("The backup; null if there is none.") }),
  }),
  downloadBackup: bytes({
    method: "get",
    path: "/api/public/storage/backup/file",
    summary: "Download the backup",
    description: "Returns the completed backup. Byte ranges are supported. Owners only.",
    errors: ["not_found", "range_not_satisfiable"],
    access: "owner",
    mediaType: "application/gzip",
  }),
  removeBackup: json({
    method: "delete",
    path: "/api/public/storage/backup",
    summary: "Delete the backup",
    description: "Stops a backup in progress or deletes the completed one. Owners only.",
    errors: ["conflict"],
    access: "owner",
    output: success,
  }),
  backupPlan: json({
    method: "get",
    path: "/api/public/storage/backup-plan",
    summary: "Get scheduled backups",
    description: "Returns when backups are made automatically, and the result of the last. Owners only.",
    access: "owner",
    output: z.object({ state: BackupPlanState.describe("Scheduled backups.") }),
  }),
  planBackups: json({
    method: "put",
    path: "/api/public/storage/backup-plan",
    summary: "Schedule backups",
    description: "Sets when backups are made automatically. Existing backups are kept. Owners only.",
    errors: ["unprocessable"],
    access: "owner",
    body: z.object({
      plan: BackupPlan.nullable().describe("When and where backups are made; null for no more."),
    }),
    output: z.object({ state: BackupPlanState.describe("Scheduled backups.") }),
  }),
  stageRestore: upload({
    method: "post",
    path: "/api/public/storage/restore",
    summary: "Upload a backup to restore",
    description: "Verifies a backup. It replaces the current data at the next start. Owners only.",
    errors: ["conflict", "unprocessable", "disk_full"],
    access: "owner",
    form: { file: ["file", "files"] },
    status: 201,
    output: z.object({ restore: StagedRestore.describe("The verified backup.") }),
  }),
  discardRestore: json({
    method: "delete",
    path: "/api/public/storage/restore",
    summary: "Cancel a restore",
    description: "Discards the backup that waits for the next start. Owners only.",
    access: "owner",
    output: success,
  }),
  held: json({
    method: "get",
    path: "/api/public/storage/held",
    summary: "List held items",
    description: "Returns what is off after a restore until an owner decides. Owners only.",
    access: "owner",
    output: z.object({ items: z.array(HeldItem).describe("Held items.") }),
  }),
  decideHeld: json({
    method: "post",
    path: "/api/public/storage/held",
    summary: "Decide on a held item",
    description: "Turns an item on or keeps it off. It works only in the app. Owners only.",
    errors: ["not_found", "conflict", "unprocessable"],
    access: "owner",
    body: HeldDecision,
    output: z.object({ items: z.array(HeldItem).describe("Remaining held items.") }),
  }),
} as const
