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
import type { RunStatus } from "../../../shared/contract/automations.ts"
import { classNames } from "../../ui/class-names.ts"

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
