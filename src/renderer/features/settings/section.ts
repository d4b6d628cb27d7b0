import type { LucideIcon } from "lucide-react"
import type { ComponentType } from "react"

export interface SettingsSection {
  path: string
  /** Its name in the page's language; ask while rendering. */
  name: () => string
  icon: LucideIcon
  group: SettingsGroupId
  /** It is about everyone's data, or about the computer: the box refuses others. */
  ownersOnly?: true
  Content: ComponentType
}

export const settingsGroups = ["general", "models", "tools", "people", "data", "help"] as const
export type SettingsGroupId = (typeof settingsGroups)[number]
