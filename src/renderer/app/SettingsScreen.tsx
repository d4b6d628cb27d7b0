import { SettingsPage } from "../features/settings/SettingsPage.tsx"
import { NotFound } from "./NotFound.tsx"
import { settingsSections } from "./settings-sections.tsx"

/** The section of the settings that an address names. */
export function SettingsScreen({ path }: { path: string }) {
  const section = settingsSections.find((candidate) => candidate.path === path)
  return section ? <SettingsPage sections={settingsSections} section={section} /> : <NotFound />
}
