import { t } from "i18next"
import {
  Ban,
  Check,
  CircleAlert,
  Clock,
  Hand,
  LoaderCircle,
  SkipForward,
  type LucideIcon,
} from "lucide-react"
import type { Cause, RunStatus } from "../../../shared/contract/automations.ts"
import { formatMoment, formatTime } from "../../lib/words/format.ts"
import { classNames } from "../../ui/class-names.ts"

/** Describes why a run was started. */
export function causeWords(cause: Cause, fileName: string | undefined): string {
  if (cause.kind === "schedule") return t("automations:cause.schedule", { moment: momentWords(cause.at) })
  if (cause.kind === "hook") return t("automations:cause.hook")
  if (cause.kind === "manual" && cause.fileId === undefined) return t("automations:cause.manual")
  const name = fileName ?? t("automations:cause.aFile")
  return t(`automations:cause.${cause.kind === "file" ? "file" : "about"}`, { name })
}

/** Formats a moment as date and time, or as the time only if it is today. */
export const momentWords = (iso: string): string =>
  new Date(iso).toDateString() === new Date().toDateString()
    ? formatTime(iso)
    : t("automations:moment", { day: formatMoment(iso), time: formatTime(iso) })

const states: Record<RunStatus, { icon: LucideIcon; classes: string }> = {
  queued: { icon: Clock, classes: "text-soft" },
  running: { icon: LoaderCircle, classes: "text-accent" },
  waiting: { icon: Hand, classes: "text-warning" },
  completed: { icon: Check, classes: "text-good" },
  failed: { icon: CircleAlert, classes: "text-danger" },
  skipped: { icon: SkipForward, classes: "text-soft" },
  cancelled: { icon: Ban, classes: "text-soft" },
}

/** The state of a run, as an icon and a word. */
export function RunState({ status }: { status: RunStatus }) {
  const { icon: Icon, classes } = states[status]
  return (
    <span className={classNames("inline-flex items-center gap-1.5", classes)}>
      <Icon
        className={classNames("size-3.5 shrink-0", status === "running" && "motion-safe:animate-spin")}
        aria-hidden
      />
      {t(`automations:status.${status}`)}
    </span>
  )
}
