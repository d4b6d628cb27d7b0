import { t } from "i18next"
import type { Source } from "../../../shared/contract/chat.ts"
import { formatLocation, formatPercent } from "../../lib/format.ts"

const longestQuote = 400

/** A cited passage at a glance. */
export function SourcePreview({ source }: { source: Source }) {
  const { fileName, location, text, score } = source
  const place = formatLocation(location)
  return (
    <>
      <p className="truncate text-sm font-medium">{fileName}</p>
      <p className="truncate text-xs text-faint">
        {[place, t("passages:relevant", { share: formatPercent(score) })].filter(Boolean).join(" · ")}
      </p>
      <p className="mt-1.5 line-clamp-6 text-sm break-words text-soft">
        {text.length > longestQuote ? `${text.slice(0, longestQuote)}…` : text}
      </p>
    </>
  )
}
