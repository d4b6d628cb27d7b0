import type { AuditAction, AuditGroup } from "./contract/audit-log.ts"

const groups: Readonly<Record<string, AuditGroup>> = {
  people: "people",
  keys: "keys",
  folders: "access",
  assistants: "access",
  models: "models",
  model_server: "models",
  storage: "storage",
  backup: "storage",
}
export const getAuditGroup = (action: AuditAction): AuditGroup =>
  groups[action.split(".")[0] ?? ""] ?? "settings"
