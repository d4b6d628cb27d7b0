import { t } from "i18next"
import type { Computer, OfferedModel } from "../../../shared/contract/models.ts"
import { useSettings } from "../../data/settings.ts"
import { formatSize } from "../../lib/words/format.ts"
import { Facts } from "../../ui/controls/Sections.tsx"
import { describeFit, estimateTime } from "./wording.ts"

/** A download's requirements and source. */
export function ConsentFacts({ model, computer }: { model: OfferedModel; computer: Computer }) {
  const { data: settings } = useSettings()
  const source = settings ? new URL(settings.modelMirror).host : "Hugging Face"
  const free = formatSize(computer.freeDiskBytes)
  const after = formatSize(Math.max(0, computer.freeDiskBytes - model.sizeBytes))
  return (
    <Facts
      rows={[
        [t("models:consent.download"), formatSize(model.sizeBytes)],
        [t("models:consent.time"), estimateTime(model.sizeBytes)],
        [t("models:consent.disk"), t("models:consent.diskFree", { free, after })],
        [t("models:consent.memory"), describeFit(model)],
        [t("models:consent.licence"), model.licence],
        [t("models:consent.from"), `${source}/${model.repo}`],
      ]}
    />
  )
}
