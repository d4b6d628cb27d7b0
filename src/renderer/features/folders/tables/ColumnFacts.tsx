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

/** How many values a column has in the rows that are shown or cut off, their sum and their average. */
export function ColumnFacts({ folderId, view, column: { name, type } }: ColumnFactsProps) {
  const { data, error, isPlaceholderData } = useTableAnswer(folderId, factsSql(view, name, type === "number"))
  if (error) return <span className="text-danger">{describeError(error)}</span>
  const [count, sum, average] = (isPlaceholderData ? undefined : data?.rows[0]) ?? []
  return <FactsLine name={name} count={count} sum={sum} average={average} />
}
