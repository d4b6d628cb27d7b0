import { z } from "zod"
import { bytes, json, upload } from "./endpoint.ts"
import { Timestamp } from "./primitives.ts"
import { SentenceBody } from "./sentence.ts"

const Bytes = z.int().min(0)

export const StoragePart = z.object({
  name: z.enum(["documents", "models", "index", "database", "trash", "logs", "copies", "other"]),
  bytes: Bytes,
  complete: z.boolean().meta({ description: "false: there is more than could be counted in a few seconds" }),
})
export type StoragePart = z.infer<typeof StoragePart>

/** An older state of the box's data that is kept in case it is wanted back. */
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

/** One file with everything that can't be made again: database, uploaded documents, trash; not models. */
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

/** A backup that was checked and waits for the next start to take the place of the present data. */
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

/** Whether all of the database could be read when it was looked at last: at each start, then daily. */
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

const success = z.object({ success: z.literal(true) })

/** Owners only, with full rights: a backup holds everyone's data. */
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
} as const
