import { t } from "i18next"
import type { Settings } from "../../../shared/contract/settings.ts"
import { useSettings } from "../../data/settings.ts"
import { describeError } from "../../lib/box.ts"
import { Note } from "../../ui/Note.tsx"
import { SettingsGroup } from "../../ui/controls/Sections.tsx"
import { Spinner } from "../../ui/Progress.tsx"
import { WebSearchForm } from "./WebSearchForm.tsx"

/** The web search provider for assistants. */
export function WebSearchSection() {
  const { data: settings, error } = useSettings()
  return (
    <SettingsGroup title={t("webSearch:section")} description={t("webSearch:description")}>
      {error && <Note kind="error">{describeError(error)}</Note>}
      {!settings && !error && <Spinner label={t("common:loading")} />}
      {settings && <Loaded {...settings} />}
    </SettingsGroup>
  )
}

/** Input belongs to the settings that it started from. New settings reset the form. */
const Loaded = ({ webSearch }: Settings) => (
  <WebSearchForm key={JSON.stringify(webSearch)} stored={webSearch} />
)
