import { t } from "i18next"
import type { TableColumn } from "../../../../shared/contract/tables.ts"
import { useTableAnswer } from "../../../data/tables.ts"
import { describeError } from "../../../lib/box.ts"
import { formatCount } from "../../../lib/words/format.ts"
import { factsSql, type View } from "./compose-sql.ts"

interface ColumnFactsProps {
  folderId: string
  view: View
  column: TableColumn
}

/** How many values a column has in the rows that are shown or cut off, their sum and their average. */
export function ColumnFacts({ folderId, view, column: { name, type } }: ColumnFactsProps) {
  const { data, error, isPlaceholderData } = useTableAnswer(folderId, factsSql(view, name, type === "number"))
  if (error) return <span className="text-danger">{describeError(error)}</span>
  const [count, sum, average] = (isPlaceholderData ? undefined : data?.rows[0]) ?? []
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
