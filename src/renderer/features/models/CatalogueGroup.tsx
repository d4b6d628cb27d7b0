import { useState } from "react"
import type { Computer, OfferedModel } from "../../../shared/contract/model-files.ts"
import { formatSize } from "../../lib/format.ts"
import { Button } from "../../ui/Button.tsx"
import { SettingsGroup } from "../../ui/SettingsGroup.tsx"
import { CatalogueRow } from "./CatalogueRow.tsx"

interface CatalogueGroupProps {
  models: OfferedModel[]
  computer: Computer
}

/** Models worth having: the recommended ones at once, the others on demand. */
export function CatalogueGroup({ models, computer }: CatalogueGroupProps) {
  const [all, setAll] = useState(false)
  const recommended = models.filter((model) => model.recommended && model.purpose !== "reranking")
  const others = models.filter((model) => !recommended.includes(model))
  const shown = all ? [...recommended, ...others] : recommended
  return (
    <SettingsGroup
      title="Get a model"
      description={`Judged for this computer: ${formatSize(computer.memoryBytes)} of memory, ${formatSize(computer.freeDiskBytes)} free on the disk.`}
    >
      <ul className="divide-y divide-line rounded-lg border border-line" aria-label="Models to download">
        {shown.map((model) => (
          <CatalogueRow key={model.id} model={model} computer={computer} />
        ))}
      </ul>
      {others.length > 0 && (
        <Button variant="quiet" className="mt-2" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? "Show fewer" : `Show ${others.length} more`}
        </Button>
      )}
    </SettingsGroup>
  )
}
