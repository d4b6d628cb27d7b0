import { useMutation } from "@tanstack/react-query"
import { t } from "i18next"
import { Pencil, RotateCw, Trash2 } from "lucide-react"
import type { SupportTicket } from "../../../shared/contract/support.ts"
import { refreshReports } from "../../data/support.ts"
import { box, describeError } from "../../lib/box.ts"
import { formatMoment, formatTime } from "../../lib/words/format.ts"
import { editReport } from "../../lib/report-dialog.ts"
import { classNames } from "../../ui/class-names.ts"
import { IconButton } from "../../ui/controls/Button.tsx"
import { showToast } from "../../lib/toasts.ts"

const tints: Record<SupportTicket["state"], string> = {
  waiting: "bg-well text-soft",
  sending: "bg-well text-soft",
  unsure: "bg-warning-tint text-ink",
  refused: "bg-danger-tint text-ink",
  sent: "bg-well text-soft",
}

/** One report: its state and the actions for it. */
export function ReportRow({ ticket }: { ticket: SupportTicket }) {
  const { id, state, title, description, type, status, problem, nextAttemptAt, createdAt } = ticket
  const act = useMutation({
    mutationFn: (action: "retry" | "remove"): Promise<unknown> => box.support[action]({ params: { id } }),
    onError: (error) => showToast(describeError(error), "error"),
    onSettled: refreshReports,
  })
  const canTry = state === "waiting" || state === "refused" || state === "unsure"
  const why = problem === null ? null : t(`support:problems.${problem.code}`)
  return (
    <li className="flex items-start gap-3 px-3 py-2.5">
      <div className="min-w-0 flex-1">
        <p className="flex items-center gap-2 text-sm">
          <span className="truncate" title={title}>
            {title}
          </span>
          <span className={classNames("shrink-0 rounded-full px-2 py-0.5 text-xs", tints[state])}>
            {status === null ? t(`support:states.${state}`) : t(`support:statuses.${status}`)}
          </span>
        </p>
        <p className="truncate text-xs text-faint" title={description}>
          {[t(`support:types.${type}`), formatMoment(createdAt), description].join(" · ")}
        </p>
        {why !== null && (
          <p className="mt-1 text-xs text-soft">
            {why} {problem?.code === "invalid" && problem.message}{" "}
            {nextAttemptAt !== null && t("support:reports.next", { time: formatTime(nextAttemptAt) })}
          </p>
        )}
      </div>
      <div className="flex shrink-0">
        {canTry && (
          <IconButton
            label={t("support:reports.retry", { title })}
            disabled={act.isPending}
            onClick={() => act.mutate("retry")}
          >
            <RotateCw aria-hidden />
          </IconButton>
        )}
        {(state === "waiting" || state === "refused") && (
          <IconButton label={t("support:reports.edit", { title })} onClick={() => editReport(id)}>
            <Pencil aria-hidden />
          </IconButton>
        )}
        {state !== "sending" && (
          <IconButton
            label={t("support:reports.remove", { title })}
            disabled={act.isPending}
            onClick={() => act.mutate("remove")}
          >
            <Trash2 aria-hidden />
          </IconButton>
        )}
      </div>
    </li>
  )
}
