import type { LucideIcon } from "lucide-react"
import type { ComponentType } from "react"

export interface SettingsSection {
  path: string
  /** Its name in the page's language; call it while rendering. */
  name: () => string
  icon: LucideIcon
  group: SettingsGroupId
  /** It concerns all users' data or the computer, and the box refuses everyone except owners. */
  ownersOnly?: true
  Content: ComponentType
}

export const settingsGroups = ["general", "models", "tools", "people", "data", "help"] as const
export type SettingsGroupId = (typeof settingsGroups)[number]
