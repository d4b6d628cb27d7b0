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
    .meta({
      description:
        "`made`: files that tools made in chats; `tables`: made of spreadsheets; `pictures`: of notifications' senders; `languages`: for reading scans; `transit`: uploads on their way, temporary files; `desktop`: what the desktop program keeps; `reserve`: given up when the disk is full",
    }),
  bytes: Bytes,
  complete: z.boolean().meta({ description: "false: there is more than could be counted in a few seconds" }),
})
export type StoragePart = z.infer<typeof StoragePart>

/** An older copy of the box's data that is kept in case it is needed. */
export const StoredCopy = z
  .object({
    id: z.string(),
    kind: z.enum(["snapshot", "replaced"]).meta({
      description:
        "`snapshot`: the database before an update changed it; `replaced`: what a restore took the place of",
    }),
    bytes: Bytes,
    createdAt: Timestamp,
  })
  .meta({ id: "StoredCopy" })
export type StoredCopy = z.infer<typeof StoredCopy>

/** A single file with everything that can't be recreated: database, uploaded documents and trash, but not models. */
export const Backup = z
  .object({
    status: z.enum(["running", "completed", "failed"]),
    fileName: z.string(),
    startedAt: Timestamp,
    doneBytes: Bytes.meta({ description: "How much of `totalBytes` is in it, before compression" }),
    totalBytes: Bytes,
    sizeBytes: Bytes.nullable().meta({ description: "Size of the file, once it is complete" }),
    error: z.string().nullable(),
    sentence: SentenceBody.optional(),
  })
  .meta({ id: "Backup" })
export type Backup = z.infer<typeof Backup>

/** When and where the box makes backups automatically. Times are in this computer's time zone. */
export const BackupPlan = z
  .object({
    every: z.enum(["day", "week"]),
    weekday: z.int().min(0).max(6).default(1).meta({ description: "Of weekly ones; 0 is Sunday" }),
    at: z
      .string()
      .regex(/^([01]\d|2[0-3]):[0-5]\d$/, wrong("time_of_day"))
      .nullable()
      .meta({ description: "As `21:30`; null: as soon as the box runs on that day" }),
    directory: z.string().trim().min(1).max(4096).meta({ description: "Where they are put; it must exist" }),
    keep: z.int().min(1).max(100).meta({ description: "So many are kept there, the newest ones" }),
  })
  .meta({ id: "BackupPlan" })
export type BackupPlan = z.infer<typeof BackupPlan>

/** The result of the last scheduled backup. */
export const PlannedBackup = z
  .object({
    at: Timestamp,
    path: z.string(),
    sizeBytes: Bytes.nullable().meta({ description: "null: it failed" }),
    error: z.string().nullable(),
    sentence: SentenceBody.optional(),
  })
  .meta({ id: "PlannedBackup" })
export type PlannedBackup = z.infer<typeof PlannedBackup>

export const BackupPlanState = z
  .object({
    plan: BackupPlan.nullable(),
    running: z.boolean(),
    last: PlannedBackup.nullable(),
    nextAt: Timestamp.nullable().meta({ description: "One that was missed is made at once" }),
  })
  .meta({ id: "BackupPlanState" })
export type BackupPlanState = z.infer<typeof BackupPlanState>

/** A checked backup that will replace the current data at the next start. */
export const StagedRestore = z
  .object({
    stagedAt: Timestamp,
    people: z.int(),
    folders: z.int(),
    files: z.int(),
    chats: z.int(),
  })
  .meta({ id: "StagedRestore" })
export type StagedRestore = z.infer<typeof StagedRestore>

/** Whether the whole database was readable at the last check, which runs at each start and then daily. */
export const DatabaseHealth = z
  .object({
    status: z.enum(["unchecked", "ok", "damaged"]),
    checkedAt: Timestamp.nullable(),
    damagedTables: z.array(z.string()),
  })
  .meta({ id: "DatabaseHealth" })
export type DatabaseHealth = z.infer<typeof DatabaseHealth>

export const StorageOverview = z
  .object({
    dataDir: z.string().meta({ description: "The data directory on the computer the box runs on" }),
    freeBytes: Bytes,
    parts: z.array(StoragePart),
    copies: z.array(StoredCopy).meta({ description: "Newest first" }),
    backup: Backup.nullable(),
    restore: StagedRestore.nullable(),
    database: DatabaseHealth,
  })
  .meta({ id: "StorageOverview" })
export type StorageOverview = z.infer<typeof StorageOverview>

/** The name is null if the item no longer exists, or the automation's owner can't use it. */
const NamedThing = z.object({ id: z.string(), name: z.string().nullable() })

const HeldAssistant = NamedThing.extend({
  bypassesApprovals: z.boolean().meta({ description: "Its tools ask no one" }),
  tools: z.array(z.string()).meta({ description: "Keys of its tools" }),
})

/** An assistant that may be given tasks by a held automation's assistant. */
export const HeldDelegate = HeldAssistant.extend({
  folders: z.array(NamedThing).meta({ description: "Folders that it reads" }),
}).meta({ id: "HeldDelegate" })
export type HeldDelegate = z.infer<typeof HeldDelegate>

/** The resources a held automation runs with, and whether anyone is notified. */
export const HeldAutomation = z
  .object({
    assistant: HeldAssistant.extend({ instructions: z.string() }).nullable(),
    folders: z.array(NamedThing).meta({ description: "Its own and its assistant's" }),
    delegates: z.array(HeldDelegate).optional().meta({
      description: "Assistants to which its assistant may give tasks",
    }),
    triggerFolder: NamedThing.nullable().meta({ description: "Its files trigger it" }),
    model: NamedThing.nullable().meta({ description: "null: the default model" }),
    notify: Notify,
    budget: Automation.shape.budget,
  })
  .meta({ id: "HeldAutomation" })
export type HeldAutomation = z.infer<typeof HeldAutomation>

/** An item that was on in a restored backup and is off until an owner decides. */
export const HeldItem = z
  .object({
    kind: z.enum([
      "program",
      "mcp_server",
      "model_server",
      "folder",
      "automation",
      "webhook",
      "setting",
      "api_key",
      "owner",
    ]),
    id: z.string().min(1),
    name: z.string().meta({ description: "For a setting, its key" }),
    person: z.string().nullable().meta({ description: "Its owner; null: it belongs to the box" }),
    does: z.string().meta({
      description:
        "What would run, be reached, be read or be asked: command line, address, directory, prompt or value; the first characters of an API key; an owner's e-mail address and accounts at sign-in providers",
    }),
    trigger: Trigger.nullable().meta({ description: "What would trigger the automation or webhook" }),
    automation: HeldAutomation.optional().meta({ description: "Of an automation or webhook" }),
    visibility: Visibility.optional().meta({
      description: "Who else can read the files of a folder",
    }),
    scopes: z.array(Scope).nullable().optional().meta({
      description: "Of an API key; null: full rights",
    }),
    toolCount: z.int().min(0).optional().meta({
      description: "How many tools an MCP server or program last offered",
    }),
    roles: z.array(ModelRole).optional().meta({
      description:
        "What the chosen models of a model server would do. For `embedding`, it is sent the text of all folders that may leave the computer",
    }),
  })
  .meta({ id: "HeldItem" })
export type HeldItem = z.infer<typeof HeldItem>

export const HeldDecision = z
  .object({
    ...HeldItem.shape,
    decision: z.enum(["turn_on", "keep_off"]),
    key: z.string().max(256).optional().meta({
      description:
        "The whole API key; required to turn one on, because a backup chooses which key its hash belongs to",
    }),
  })
  .meta({
    id: "HeldDecision",
    description: "The item as shown; 409 if it has changed since",
  })
export type HeldDecision = z.infer<typeof HeldDecision>

const success = z.object({ success: z.literal(true) })

/** Only for owners with full rights, because a backup contains everyone's data. */
export const storage = {
  read: json({
    method: "get",
    path: "/api/public/storage",
    summary: "What uses the disk",
    access: "owner",
    output: z.object({ storage: StorageOverview }),
  }),
  emptyTrash: json({
    method: "delete",
    path: "/api/public/storage/trash",
    summary: "Delete for good what is in the trash",
    access: "owner",
    output: success,
  }),
  removeCopy: json({
    method: "delete",
    path: "/api/public/storage/copies/:id",
    summary: "Delete an older state of the data",
    access: "owner",
    output: success,
  }),
  startBackup: json({
    method: "post",
    path: "/api/public/storage/backup",
    summary: "Begin a backup into one file; the backup before it is deleted once this one is complete",
    access: "owner",
    status: 202,
    output: z.object({ backup: Backup }),
  }),
  backup: json({
    method: "get",
    path: "/api/public/storage/backup",
    summary: "How far the backup is",
    access: "owner",
    output: z.object({ backup: Backup.nullable() }),
  }),
  downloadBackup: bytes({
    method: "get",
    path: "/api/public/storage/backup/file",
    summary: "The completed backup; answers byte ranges",
    access: "owner",
    mediaType: "application/gzip",
  }),
  removeBackup: json({
    method: "delete",
    path: "/api/public/storage/backup",
    summary: "Stop the backup that runs, or delete the one that is there",
    access: "owner",
    output: success,
  }),
  backupPlan: json({
    method: "get",
    path: "/api/public/storage/backup-plan",
    summary: "When the box makes backups by itself, and what came of the last",
    access: "owner",
    output: z.object({ state: BackupPlanState }),
  }),
  planBackups: json({
    method: "put",
    path: "/api/public/storage/backup-plan",
    summary: "Have the box make backups by itself; null: no more. Those that are there stay",
    access: "owner",
    body: z.object({ plan: BackupPlan.nullable() }),
    output: z.object({ state: BackupPlanState }),
  }),
  stageRestore: upload({
    method: "post",
    path: "/api/public/storage/restore",
    summary: "Upload a backup, which is checked and put in the place of the present data at the next start",
    access: "owner",
    form: { file: ["file", "files"] },
    status: 201,
    output: z.object({ restore: StagedRestore }),
  }),
  discardRestore: json({
    method: "delete",
    path: "/api/public/storage/restore",
    summary: "Don't restore the backup that waits for the next start",
    access: "owner",
    output: success,
  }),
  held: json({
    method: "get",
    path: "/api/public/storage/held",
    summary: "List items of a restored backup that are off until an owner decides",
    access: "owner",
    output: z.object({ items: z.array(HeldItem) }),
  }),
  decideHeld: json({
    method: "post",
    path: "/api/public/storage/held",
    summary: "Turn on an item of a restored backup, or leave it off; in the app only",
    access: "owner",
    body: HeldDecision,
    output: z.object({ items: z.array(HeldItem) }),
  }),
} as const
