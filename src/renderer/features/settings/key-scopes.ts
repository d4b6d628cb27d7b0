import type { Scope } from "../../../shared/contract/endpoint.ts"

export const scopeNames: Record<Scope, string> = {
  assistants: "Chat and assistants",
  folders: "Folders and files",
  "read-only": "Reading everything",
  notify: "Sending notifications",
}
