import { SettingsPage } from "../../features/settings/SettingsPage.tsx"
import { NotFound } from "../NotFound.tsx"
import { findableSettings } from "./find-settings.ts"
import { getRouteBeforeSettings } from "./leave-settings.ts"
import { settingsSections } from "./sections.tsx"

/** The settings section at this path, scrolled to the setting in `wanted` if given. */
export function SettingsScreen({ path, wanted }: { path: string; wanted: string | undefined }) {
  const section = settingsSections.find((candidate) => candidate.path === path)
  if (!section) return <NotFound />
  const name = findableSettings().find((setting) => setting.path === path && setting.id === wanted)?.name
  return <SettingsPage section={section} wanted={name} back={getRouteBeforeSettings()} />
}
