import { z } from "zod"
import { bytes, json } from "./endpoint.ts"
import { Id, queryInteger, Timestamp } from "./primitives.ts"

export const AuditAction = z.enum([
  "people.added",
  "people.changed",
  "people.role_changed",
  "people.disabled",
  "people.enabled",
  "people.link_made",
  "people.limits_set",
  "keys.created",
  "keys.revoked",
  "settings.changed",
  "local_only.switched",
  "network_access.switched",
  "models.chosen",
  "models.added",
  "models.removed",
  "models.options_changed",
  "model_server.added",
  "model_server.changed",
  "model_server.removed",
  "egress.cleared",
  "storage.trash_emptied",
  "storage.copy_removed",
  "backup.made",
  "backup.downloaded",
  "backup.removed",
  "backup.planned",
  "backup.restore_staged",
  "backup.restore_discarded",
  "backup.held_turned_on",
  "backup.held_kept_off",
  "audit_log.downloaded",
  "folders.access_changed",
  "assistants.access_changed",
])
export type AuditAction = z.infer<typeof AuditAction>

/** The subject areas of actions. */
export const AuditGroup = z.enum(["people", "keys", "access", "settings", "models", "storage"])
export type AuditGroup = z.infer<typeof AuditGroup>

/** `begun`: the outcome isn't known, for example after a crash. */
export const AuditOutcome = z.enum(["begun", "done", "failed"])
export type AuditOutcome = z.infer<typeof AuditOutcome>

/** Values of switches, numbers, roles, `visibility` and `remote`; null for other values. */
export const AuditDetails = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
export type AuditDetails = z.infer<typeof AuditDetails>

/** An action, with names as they were at the time. */
export const AuditEntry = z
  .object({
    id: Id,
    at: Timestamp,
    actor: z.object({ id: Id, name: z.string(), email: z.string() }).nullable().meta({
      description: "Null: the box, or its command line",
    }),
    via: z.enum(["session", "key", "command"]),
    key: z.object({ id: Id, name: z.string(), prefix: z.string() }).nullable(),
    action: AuditAction,
    subject: z.object({ id: Id.nullable(), name: z.string().nullable() }).nullable(),
    details: AuditDetails,
    requestId: z.string().nullable(),
    outcome: AuditOutcome,
  })
  .meta({ id: "AuditEntry" })
export type AuditEntry = z.infer<typeof AuditEntry>

/** Actions on people, keys, settings, models, backups and read access in the last 400 days. Entries can't be changed. */
export const auditLog = {
  list: json({
    method: "get",
    path: "/api/public/audit-log",
    summary: "Audit log, newest first; owners only",
    access: "owner",
    query: z.object({
      limit: queryInteger(1, 200, 50),
      before: Id.optional().meta({ description: "Only entries older than the one with this id" }),
      action: AuditAction.optional(),
      group: AuditGroup.optional(),
      actorId: Id.optional(),
    }),
    output: z.object({ entries: z.array(AuditEntry), hasMore: z.boolean() }),
  }),
  file: bytes({
    method: "get",
    path: "/api/public/audit-log/file",
    summary: "The whole audit log as lines of JSON, newest first; owners only",
    access: "owner",
    mediaType: "application/x-ndjson",
  }),
} as const
