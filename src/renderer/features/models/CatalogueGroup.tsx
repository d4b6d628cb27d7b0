import { t } from "i18next"
import { useState } from "react"
import type { Computer, OfferedModel } from "../../../shared/contract/models.ts"
import { formatSize } from "../../lib/words/format.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { SettingsGroup } from "../../ui/controls/Sections.tsx"
import { CatalogueRow, isRecommended } from "./CatalogueRow.tsx"

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
