import { t } from "i18next"
import { FactsLine } from "./FactsLine.tsx"
import { selectionFacts, type Rows, type Selection } from "./selection.ts"

/** Number of selected values, their sum and their average. */
export function SelectionFacts({ rows, selection }: { rows: Rows; selection: Selection }) {
  return <FactsLine name={t("folders:tables.selection")} {...selectionFacts(rows, selection)} />
}
