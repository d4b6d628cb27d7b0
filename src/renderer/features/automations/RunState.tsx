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

const looks: Record<RunStatus, { icon: LucideIcon; look: string }> = {
  queued: { icon: Clock, look: "text-soft" },
  running: { icon: LoaderCircle, look: "text-accent" },
  waiting: { icon: Hand, look: "text-warning" },
  completed: { icon: Check, look: "text-good" },
  failed: { icon: CircleAlert, look: "text-danger" },
  skipped: { icon: SkipForward, look: "text-soft" },
  cancelled: { icon: Ban, look: "text-soft" },
}

/** The state of a run, as an icon and a word. */
export function RunState({ status }: { status: RunStatus }) {
  const { icon: Icon, look } = looks[status]
  return (
    <span className={classNames("inline-flex items-center gap-1.5", look)}>
      <Icon
        className={classNames("size-3.5 shrink-0", status === "running" && "motion-safe:animate-spin")}
        aria-hidden
      />
      {t(`automations:status.${status}`)}
    </span>
  )
}
