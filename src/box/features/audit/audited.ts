import { api } from "../../../shared/contract/api.ts"
import type { AuditAction, AuditDetails } from "../../../shared/contract/audit-log.ts"
import type { Endpoint } from "../../../shared/contract/endpoint.ts"
import { FolderRemote, Visibility } from "../../../shared/contract/folders.ts"
import { BoxSettings } from "../../../shared/contract/settings.ts"

type Body = Readonly<Record<string, unknown>>
/** An action, the one that a body asks for (null: none that is written down), or why there is none. */
export type Audited = AuditAction | ((body: Body) => AuditAction | null) | { none: string }

const { people, keys, quotas, settings, models, modelServers, modelOptions, privacy, storage, auditLog } = api
const { folders, assistants } = api

/**
 * What is written down of each endpoint that is for owners and writes, makes or ends credentials, or changes who or what may read
 * folders and assistants.
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

/** The endpoints of which only changes are written down, and of those only who or what may read something. */
export const changesAccess: ReadonlyMap<Endpoint, "folder" | "assistant"> = new Map<
  Endpoint,
  "folder" | "assistant"
>([
  [folders.update, "folder"],
  [assistants.update, "assistant"],
])
const accessFields = ["visibility", "remote"]

/** What a body changes of who or what may read something; `before` is how it is so far. */
export const accessChanges = (body: Body, before: Body): Body =>
  Object.fromEntries(
    accessFields
      .filter((field) => body[field] != null && field in before && body[field] !== before[field])
      .map((field) => [field, body[field]]),
  )

/** What of a body is told: switches, numbers, roles and who may read. A text may hold a secret, so only its name is. */
export function toldOf(body: Body): AuditDetails {
  const told = Object.entries(body).map(([key, value]) => {
    const isPlain = typeof value === "boolean" || typeof value === "number"
    const isTold = typeof value === "string" && toldTexts[key]?.includes(value) === true
    return [key, isPlain || isTold ? value : null] as const
  })
  return Object.fromEntries(told)
}
const toldTexts: Readonly<Record<string, readonly string[]>> = {
  role: ["owner", "member"],
  visibility: Visibility.options,
  remote: FolderRemote.options,
}
