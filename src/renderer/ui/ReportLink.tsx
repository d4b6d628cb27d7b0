import { t } from "i18next"
import { openReport, useCanReport } from "../lib/report-dialog.ts"

/** A link from an error to a report that quotes it. */
export function ReportLink() {
  if (!useCanReport()) return null
  return (
    <button
      type="button"
      onClick={({ currentTarget }) =>
        void openReport(currentTarget.parentElement?.querySelector("[data-said]")?.textContent ?? "")
      }
      className="shrink-0 rounded text-xs font-medium text-soft hover:text-ink hover:underline"
    >
      {t("frame:reportProblem")}
    </button>
  )
}
