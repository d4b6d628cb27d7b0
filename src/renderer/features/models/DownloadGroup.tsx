import { t } from "i18next"
import type { ModelDownload } from "../../../shared/contract/models.ts"
import { SettingsGroup } from "../../ui/controls/Sections.tsx"
import { DownloadRow } from "./DownloadRow.tsx"

/** Downloads that are running, paused, failed or complete. */
export function DownloadGroup({ downloads }: { downloads: ModelDownload[] }) {
  return (
    <SettingsGroup title={t("models:download.title")}>
      <ul
        className="divide-y divide-line rounded-lg border border-line"
        aria-label={t("models:download.title")}
      >
        {downloads.map((download) => (
          <DownloadRow key={download.id} download={download} />
        ))}
      </ul>
    </SettingsGroup>
  )
}
