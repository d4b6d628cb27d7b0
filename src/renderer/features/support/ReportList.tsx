import { t } from "i18next"
import { useReports } from "../../data/support.ts"
import { describeError } from "../../lib/box.ts"
import { Note } from "../../ui/Note.tsx"
import { Spinner } from "../../ui/Progress.tsx"
import { ReportRow } from "./ReportRow.tsx"

/** Reports to support, newest first. */
export function ReportList() {
  const { data, error } = useReports()
  if (error) return <Note kind="error">{describeError(error)}</Note>
  if (!data) return <Spinner label={t("common:loading")} />
  const { tickets, pagination } = data
  if (tickets.length === 0)
    return <p className="rounded-lg border border-line p-4 text-sm text-soft">{t("support:reports.none")}</p>
  return (
    <>
      <ul
        aria-label={t("support:reports.title")}
        className="divide-y divide-line rounded-lg border border-line"
      >
        {tickets.map((ticket) => (
          <ReportRow key={ticket.id} ticket={ticket} />
        ))}
      </ul>
      {pagination.hasMore && (
        <p className="mt-2 text-xs text-faint">
          {t("support:reports.more", { count: pagination.total - tickets.length })}
        </p>
      )}
    </>
  )
}
