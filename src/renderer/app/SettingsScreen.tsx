import { settingsSections } from "../features/settings/sections.tsx"
import { SettingsPage } from "../features/settings/SettingsPage.tsx"
import { NotFound } from "./NotFound.tsx"

/** The section of the settings that an address names. */
export function SettingsScreen({ path }: { path: string }) {
  const section = settingsSections.find((candidate) => candidate.path === path)
  return section ? <SettingsPage section={section} /> : <NotFound />
}
