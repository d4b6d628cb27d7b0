import { t } from "i18next"
import type { ReadingEstimate } from "../../../../shared/contract/chat.ts"
import { formatRoughTime } from "../../../lib/words/format.ts"

/** Says what a template reads and about how long that takes. */
export function Takes({ estimate: { files, fits, estimatedSeconds } }: { estimate: ReadingEstimate }) {
  if (files === 0) return null
  const values = { files: t("reading:files", { count: files }), time: formatRoughTime(estimatedSeconds) }
  return (
    <span className={fits ? "block text-xs text-soft" : "block text-xs text-warning"}>
      {t(fits ? "templates:takes" : "templates:takesTooMuch", values)}
    </span>
  )
}
