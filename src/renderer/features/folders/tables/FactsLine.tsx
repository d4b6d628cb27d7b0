import { t } from "i18next"
import type { CellOfAnswer } from "../../../../shared/contract/tables.ts"
import { formatCount } from "../../../lib/words/format.ts"

interface FactsLineProps {
  /** The column or selection that they describe. */
  name: string
  count: CellOfAnswer | undefined
  sum: CellOfAnswer | undefined
  average: CellOfAnswer | undefined
}

/** Number of values, and their sum and average if these are numbers. */
export function FactsLine({ name, count, sum, average }: FactsLineProps) {
  const facts = [
    typeof count === "number" && t("folders:tables.values", { count }),
    typeof sum === "number" && t("folders:tables.sum", { value: formatCount(sum) }),
    typeof average === "number" && t("folders:tables.average", { value: formatCount(average) }),
  ]
  return (
    <output className="flex min-w-0 flex-wrap gap-x-4">
      <span className="max-w-60 truncate font-medium text-ink" title={name}>
        {name}
      </span>
      {facts.map(
        (fact) =>
          fact !== false && (
            <span key={fact} className="whitespace-nowrap">
              {fact}
            </span>
          ),
      )}
    </output>
  )
}
