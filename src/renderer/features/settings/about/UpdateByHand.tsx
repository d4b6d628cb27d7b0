import { t } from "i18next"
import { SettingsGroup } from "../../../ui/controls/Sections.tsx"

/** Explains how to update without the desktop app. */
export function UpdateByHand() {
  return (
    <SettingsGroup title={t("settings:update.title")}>
      <div className="flex flex-col gap-2 text-sm text-soft">
        <p>{t("settings:update.byHand")}</p>
        <p>{t("settings:update.dataStays")}</p>
      </div>
    </SettingsGroup>
  )
}
