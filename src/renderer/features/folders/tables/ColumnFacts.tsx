import type { TableColumn } from "../../../../shared/contract/tables.ts"
import { useTableAnswer } from "../../../data/folders/tables.ts"
import { describeError } from "../../../lib/box.ts"
import { factsSql, type View } from "./compose-sql.ts"
import { FactsLine } from "./FactsLine.tsx"

interface ColumnFactsProps {
  folderId: string
  view: View
  column: TableColumn
}

/** Number of values in a column, their sum and their average, over all rows that match, including rows that aren't shown. */
export function ColumnFacts({ folderId, view, column: { name, type } }: ColumnFactsProps) {
  const { data, error, isPlaceholderData } = useTableAnswer(folderId, factsSql(view, name, type === "number"))
  if (error) return <span className="text-danger">{describeError(error)}</span>
  const [count, sum, average] = (isPlaceholderData ? undefined : data?.rows[0]) ?? []
  return <FactsLine name={name} count={count} sum={sum} average={average} />
}
