import { api } from "../../../shared/contract/api.ts"
import type { AuditAction, AuditDetails } from "../../../shared/contract/audit-log.ts"
import type { Endpoint } from "../../../shared/contract/endpoint.ts"
import { FolderRemote, Visibility } from "../../../shared/contract/folders.ts"
import { BoxSettings } from "../../../shared/contract/settings.ts"

type Body = Readonly<Record<string, unknown>>
/** An action, a function that determines it from the body (null: not logged), or the reason why nothing is logged. */
export type Audited = AuditAction | ((body: Body) => AuditAction | null) | { none: string }

const { people, keys, quotas, settings, models, modelServers, modelOptions, privacy, storage, auditLog } = api
const { folders, assistants } = api

/**
 * How each endpoint is logged that writes and is for owners only, that creates or revokes credentials, or that changes access to folders
 * and assistants.
 */
export const audited: ReadonlyMap<Endpoint, Audited> = new Map<Endpoint, Audited>([
  [people.add, "people.added"],
  [
    people.update,
    ({ disabled, role }) => {
      if (disabled !== undefined) return disabled === true ? "people.disabled" : "people.enabled"
      return role === undefined ? "people.changed" : "people.role_changed"
    },
  ],
  [people.signInLinks, "people.link_made"],
  [quotas.setDefault, "people.limits_set"],
  [quotas.setPerson, "people.limits_set"],
  [quotas.setWorkspace, "people.limits_set"],
  [keys.create, "keys.created"],
  [keys.revoke, "keys.revoked"],
  [
    settings.update,
    (body) => {
      const changed = Object.keys(body).filter((key) => key in BoxSettings.shape)
      if (changed.length === 0) return null
      if (changed.length > 1) return "settings.changed"
      if (changed[0] === "localOnly") return "local_only.switched"
      return changed[0] === "networkAccess" ? "network_access.switched" : "settings.changed"
    },
  ],
  [models.choose, "models.chosen"],
  [models.add, "models.added"],
  [models.remove, "models.removed"],
  [models.download, "models.added"],
  [models.tryGpuAgain, { none: "Only asks the graphics card once more." }],
  [models.pauseDownload, { none: "The download was written down when it began." }],
  [models.resumeDownload, { none: "The download was written down when it began." }],
  [models.cancelDownload, { none: "The download was written down when it began." }],
  [modelOptions.update, "models.options_changed"],
  [modelServers.add, "model_server.added"],
  [modelServers.update, "model_server.changed"],
  [modelServers.refresh, { none: "Asks a server that is there already." }],
  [modelServers.remove, "model_server.removed"],
  [privacy.clear, "egress.cleared"],
  [storage.emptyTrash, "storage.trash_emptied"],
  [storage.removeCopy, "storage.copy_removed"],
  [storage.startBackup, "backup.made"],
  [storage.downloadBackup, "backup.downloaded"],
  [storage.removeBackup, "backup.removed"],
  [storage.planBackups, "backup.planned"],
  [storage.stageRestore, "backup.restore_staged"],
  [storage.discardRestore, "backup.restore_discarded"],
  [
    storage.decideHeld,
    ({ decision }) => (decision === "turn_on" ? "backup.held_turned_on" : "backup.held_kept_off"),
  ],
  [auditLog.file, "audit_log.downloaded"],
  [folders.update, (changes) => (isEmpty(changes) ? null : "folders.access_changed")],
  [assistants.update, (changes) => (isEmpty(changes) ? null : "assistants.access_changed")],
])
const isEmpty = (body: Body) => Object.keys(body).length === 0

/** Endpoints of which only access changes are logged. */
export const changesAccess: ReadonlyMap<Endpoint, "folder" | "assistant"> = new Map<
  Endpoint,
  "folder" | "assistant"
>([
  [folders.update, "folder"],
  [assistants.update, "assistant"],
])
const accessFields = ["visibility", "remote"]

/** The fields of a body that change access; `before` holds the current values. */
export const accessChanges = (body: Body, before: Body): Body =>
  Object.fromEntries(
    accessFields
      .filter((field) => body[field] != null && field in before && body[field] !== before[field])
      .map((field) => [field, body[field]]),
  )

/** The parts of a body that are logged: switches, numbers, roles and access. Of other texts, which may be secret, only the field name is. */
export function loggedDetails(body: Body): AuditDetails {
  const told = Object.entries(body).map(([key, value]) => {
    const isPlain = typeof value === "boolean" || typeof value === "number"
    const isLogged = typeof value === "string" && loggedTexts[key]?.includes(value) === true
    return [key, isPlain || isLogged ? value : null] as const
  })
  return Object.fromEntries(told)
}
const loggedTexts: Readonly<Record<string, readonly string[]>> = {
  role: ["owner", "member"],
  visibility: Visibility.options,
  remote: FolderRemote.options,
}
