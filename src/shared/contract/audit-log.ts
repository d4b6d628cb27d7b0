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
    id: Id.describe("Identifier of the entry; later entries have greater ones."),
    at: Timestamp.describe("When the action happened."),
    actor: z
      .object({
        id: Id.describe("Identifier of the person."),
        name: z.string().describe("Name of the person at that time."),
        email: z.string().describe("Email address of the person at that time."),
      })
      .nullable()
      .describe("Person who did it; null for the server itself or its command line."),
    via: z
      .enum(["session", "key", "command"])
      .describe(
        "How it was requested: `session` for the app, `key` for an API key, `command` for the command line.",
      ),
    key: z
      .object({
        id: Id.describe("Identifier of the key."),
        name: z.string().describe("Name of the key."),
        prefix: z.string().describe("First characters of the key."),
      })
      .nullable()
      .describe("API key that was used; null for `session` and `command`."),
    action: AuditAction.describe("What was done, such as `person.added`."),
    subject: z
      .object({
        id: Id.nullable().describe("Identifier of the subject; null if it has none."),
        name: z.string().nullable().describe("Name of the subject at that time; null if it has none."),
      })
      .nullable()
      .describe("What the action was about; null if it has no subject."),
    details: AuditDetails.describe("Values of the action, such as the settings before and after."),
    requestId: z.string().nullable().describe("`x-request-id` of the request; null for the command line."),
    outcome: AuditOutcome.describe("Whether the action succeeded."),
  })
  .meta({
    id: "AuditEntry",
    description: "An action of an owner or of someone who shares data, with the names at that time.",
  })
export type AuditEntry = z.infer<typeof AuditEntry>

/** Actions on people, keys, settings, models, backups and read access in the last 400 days. Entries can't be changed. */
export const auditLog = {
  list: json({
    method: "get",
    path: "/api/public/audit-log",
    summary: "List the audit log",
    description: "Newest first. To continue, pass the id of the last entry as `before`. Owners only.",
    access: "owner",
    query: z.object({
      limit: queryInteger(1, 200, 50).describe("Entries to return, 1 to 200."),
      before: Id.optional().describe("Return only entries older than the one with this id."),
      action: AuditAction.optional().describe("Return only entries of this action."),
      group: AuditGroup.optional().describe("Return only actions of this group."),
      actorId: Id.optional().describe("Return only actions of this person."),
    }),
    output: z.object({
      entries: z.array(AuditEntry).describe("Entries, newest first."),
      hasMore: z.boolean().describe("true if there are older entries."),
    }),
  }),
  file: bytes({
    method: "get",
    path: "/api/public/audit-log/file",
    summary: "Download the audit log",
    description: "Returns the whole log as lines of JSON, newest first. Owners only.",
    access: "owner",
    mediaType: "application/x-ndjson",
  }),
} as const
