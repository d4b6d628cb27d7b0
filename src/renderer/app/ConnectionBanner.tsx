import { t } from "i18next"
import { CloudOff } from "lucide-react"
import { reconnectNow, useConnection } from "../data/live-updates.ts"
import { Spinner } from "../ui/Progress.tsx"

/** Shown for as long as the box can't be reached. */
export function ConnectionBanner() {
  const { lost, trying } = useConnection()
  return (
    <output className="contents">
      {lost && (
        <div className="flex shrink-0 animate-appear items-center gap-2.5 border-b border-line bg-warning-tint px-4 py-1.5 text-sm in-[.sidebar-closed]:pl-20">
          <CloudOff className="size-4 shrink-0 text-warning" aria-hidden />
          <span className="min-w-0 flex-1">{t("frame:connection.lost")}</span>
          {trying && <Spinner />}
          <button
            type="button"
            onClick={reconnectNow}
            className="shrink-0 rounded font-medium text-accent hover:underline"
          >
            {t("frame:connection.tryNow")}
          </button>
        </div>
      )}
    </output>
  )
}
