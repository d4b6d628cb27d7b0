import { useMutation } from "@tanstack/react-query"
import { t } from "i18next"
import { useEffect, useState } from "react"
import { useLocation } from "wouter"
import { useSession } from "../../data/session.ts"
import { refreshReports, useReportLogs, useSupportAccount } from "../../data/support.ts"
import { describeError } from "../../lib/box.ts"
import { navigate } from "../../lib/navigation/hash-location.ts"
import { closeReport, type OpenReport } from "../../lib/report-dialog.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { Dialog } from "../../ui/layers/Dialog.tsx"
import { Note } from "../../ui/Note.tsx"
import { Spinner } from "../../ui/Progress.tsx"
import { showToast } from "../../lib/toasts.ts"
import { useReportDraft, submitReport, type Report } from "./report-draft.ts"
import { ReportForm } from "./ReportForm.tsx"

/** Writes a report to support, or edits a queued one. */
export function ReportDialog({ report }: { report: OpenReport }) {
  const { ticketId } = report
  const { data: session } = useSession()
  const { data: account } = useSupportAccount()
  const logs = useReportLogs()
  const name = `${session?.user.id ?? ""}:${ticketId ?? "new"}`
  // The text stays as a draft. The dialog closes when the user goes to another page.
  const [location] = useLocation()
  const [openedOn] = useState(location)
  useEffect(() => {
    if (location !== openedOn) closeReport()
  }, [location, openedOn])
  const { draft, error, change, forget } = useReportDraft(name, report)

  const submit = useMutation({
    mutationFn: (written: Report) => submitReport(written, ticketId),
    async onSuccess() {
      await forget()
      closeReport()
      await refreshReports()
      const see = { label: t("support:report.see"), run: () => navigate(routes.support) }
      showToast(t(ticketId === undefined ? "support:report.kept" : "support:report.changed"), "info", {
        actions: [see],
      })
    },
  })

  return (
    <Dialog
      open
      wide
      onClose={closeReport}
      title={t(ticketId === undefined ? "support:report.title" : "support:report.titleChange")}
      description={t("support:report.description")}
    >
      {account && !account.signedIn && (
        <Note kind="warning">
          {t(account.authUrl === null ? "support:report.noService" : "support:report.signedOut")}
        </Note>
      )}
      {error !== undefined && <Note kind="error">{describeError(error)}</Note>}
      {draft && !logs.isPending ? (
        <ReportForm
          draft={draft}
          onChange={change}
          logs={logs.data ?? { uiLogs: [], serverLogs: [] }}
          isNew={ticketId === undefined}
          hasService={account?.authUrl !== null}
          error={submit.error}
          busy={submit.isPending}
          onSubmit={(chosen) => submit.mutate({ ...draft, ...chosen })}
          onDiscard={() => void forget().then(closeReport)}
        />
      ) : (
        error === undefined && <Spinner label={t("common:loading")} />
      )}
    </Dialog>
  )
}
