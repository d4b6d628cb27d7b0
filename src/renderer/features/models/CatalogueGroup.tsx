import { t } from "i18next"
import { Check, Download } from "lucide-react"
import { useState } from "react"
import { roleFor, type Computer, type OfferedModel } from "../../../shared/contract/models.ts"
import { useDownloads } from "../../data/models/models.ts"
import { formatSize } from "../../lib/words/format.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { SettingsGroup } from "../../ui/controls/Sections.tsx"
import { ConsentDialog, DownloadRow } from "./ModelDownload.tsx"
import { describeFit, formatLanguages, whyNotDownload } from "./wording.ts"

/** Whether to highlight a model: it fits this computer best, and a role uses its kind. */
const isRecommended = ({ recommended, purpose }: OfferedModel): boolean =>
  recommended && roleFor(purpose) !== undefined

/** A catalogue model: its purpose, its requirements and its download progress. */
function CatalogueRow({ model, computer }: { model: OfferedModel; computer: Computer }) {
  const [asking, setAsking] = useState(false)
  const { data: downloads } = useDownloads()
  const { name, purpose, sizeBytes, licence, languages, recommended, memoryFit, installedId } = model
  const running = downloads?.find(
    ({ repo, file, status }) => repo === model.repo && file === model.file && status !== "done",
  )
  const obstacle = installedId === null ? whyNotDownload(model, computer) : null
  return (
    <li className="flex items-start gap-4 px-3 py-3">
      <div className="min-w-0 flex-1">
        <p className="text-sm font-medium break-words">
          {name}
          {isRecommended(model) && (
            <span className="ml-2 rounded-sm bg-tint px-1.5 py-0.5 text-xs font-normal text-accent">
              {t("models:catalogue.recommended")}
            </span>
          )}
        </p>
        <p className="mt-0.5 text-sm text-soft">{t(`models:purposeUse.${purpose}`)}</p>
        <p className="mt-1 text-xs text-faint">
          {formatSize(sizeBytes)} · {licence} · {formatLanguages(languages)}
        </p>
        <p className={memoryFit === "fits" ? "text-xs text-faint" : "text-xs text-warning"}>
          {describeFit(model)}
        </p>
        {running && (
          <ul className="mt-2 rounded-md border border-line">
            <DownloadRow download={running} />
          </ul>
        )}
        {obstacle !== null && !running && <p className="text-xs text-warning">{obstacle}</p>}
      </div>
      {installedId !== null && (
        <span className="flex h-8 items-center gap-1.5 text-sm text-soft">
          <Check className="size-4 text-good" aria-hidden /> {t("models:catalogue.here")}
        </span>
      )}
      {installedId === null && !running && (
        <Button
          variant={recommended && purpose === "chat" ? "primary" : "secondary"}
          aria-label={t("models:catalogue.downloadModel", { name })}
          disabled={obstacle !== null || memoryFit === "too-large"}
          onClick={() => setAsking(true)}
        >
          <Download aria-hidden /> {t("models:catalogue.download")}
        </Button>
      )}
      {asking && <ConsentDialog model={model} computer={computer} onClose={() => setAsking(false)} />}
    </li>
  )
}

interface CatalogueGroupProps {
  models: OfferedModel[]
  computer: Computer
}

/** Catalogue models: recommended ones are shown first, the others on demand. */
export function CatalogueGroup({ models, computer }: CatalogueGroupProps) {
  const [all, setAll] = useState(false)
  const recommended = models.filter(isRecommended)
  const others = models.filter((model) => !isRecommended(model))
  const shown = all ? [...recommended, ...others] : recommended
  return (
    <SettingsGroup
      title={t("models:catalogue.title")}
      description={t("models:catalogue.description", {
        memory: formatSize(computer.memoryBytes),
        disk: formatSize(computer.freeDiskBytes),
      })}
    >
      <ul
        className="divide-y divide-line rounded-lg border border-line"
        aria-label={t("models:catalogue.list")}
      >
        {shown.map((model) => (
          <CatalogueRow key={model.id} model={model} computer={computer} />
        ))}
      </ul>
      {others.length > 0 && (
        <Button variant="quiet" className="mt-2" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? t("models:catalogue.fewer") : t("models:catalogue.more", { count: others.length })}
        </Button>
      )}
    </SettingsGroup>
  )
}
