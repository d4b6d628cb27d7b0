import { t } from "i18next"
import { CircleAlert, Info, TriangleAlert } from "lucide-react"
import type { ReactNode } from "react"
import { openReport, useCanReport } from "../lib/report-dialog.ts"
import { classNames } from "./class-names.ts"

/** A link from an error to a report that quotes it. */
function ReportLink() {
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

const box = "rounded-lg px-3 py-2 text-sm"

const kinds = {
  /** For permanent or repeated notes. */
  quiet: { icon: Info, classes: "text-xs text-faint", glyph: "mt-px size-3.5" },
  info: { icon: Info, classes: `${box} bg-well text-soft`, glyph: "mt-0.5 size-4 text-faint" },
  warning: {
    icon: TriangleAlert,
    classes: `${box} bg-warning-tint text-ink`,
    glyph: "mt-0.5 size-4 text-warning",
  },
  error: { icon: CircleAlert, classes: `${box} bg-danger-tint text-ink`, glyph: "mt-0.5 size-4 text-danger" },
}

interface NoteProps {
  kind?: keyof typeof kinds
  children: ReactNode
  action?: ReactNode
}

/** A note about a state or a fault, with an action for it. */
export function Note({ kind = "info", children, action }: NoteProps) {
  const { icon: Icon, classes, glyph } = kinds[kind]
  return (
    <div
      role={kind === "error" ? "alert" : "note"}
      className={classNames("flex items-start gap-2.5", classes)}
    >
      <Icon className={classNames("shrink-0", glyph)} aria-hidden />
      <div className="min-w-0 flex-1 break-words" data-said>
        {children}
      </div>
      {action}
      {kind === "error" && <ReportLink />}
    </div>
  )
}
