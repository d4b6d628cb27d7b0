import { api } from "../../../shared/contract/api.ts"
import type { AuditAction, AuditDetails } from "../../../shared/contract/audit-log.ts"
import type { Endpoint } from "../../../shared/contract/endpoint.ts"
import { BoxSettings } from "../../../shared/contract/settings.ts"

type Body = Readonly<Record<string, unknown>>
/** An action, the one that a body asks for (null: none that is written down), or why there is none. */
export type Audited = AuditAction | ((body: Body) => AuditAction | null) | { none: string }

const { people, keys, quotas, settings, models, modelServers, modelOptions, privacy, storage, auditLog } = api

/** What is written down of each endpoint that is for owners and writes, or makes or ends credentials. */
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
  [auditLog.file, "audit_log.downloaded"],
])

/** What of a body is told: switches, numbers and roles. A text may hold a secret, so only its name is. */
export function toldOf(body: Body): AuditDetails {
  const told = Object.entries(body).map(([key, value]) => {
    const isPlain = typeof value === "boolean" || typeof value === "number"
    const isRole = key === "role" && (value === "owner" || value === "member")
    return [key, isPlain || isRole ? value : null] as const
  })
  return Object.fromEntries(told)
}
