import { t } from "i18next"
import { ProgressBar } from "../../../ui/ProgressBar.tsx"
import { Spinner } from "../../../ui/Spinner.tsx"
import type { ReadingProgress } from "../session/live-answer.ts"

/** How far the documents are read. Not announced: it changes with every part. */
export function ReadingLine({ reading }: { reading: ReadingProgress }) {
  const { stage, done, total } = reading
  const label = stage === "reading" ? t("chat:reading.parts", { done, total }) : t("chat:reading.combining")
  return (
    <div aria-live="off" className="flex h-6 items-center gap-2 text-sm text-soft tabular-nums">
      <Spinner />
      <span className="shrink-0">{label}</span>
      {(stage === "reading" || total > 1) && (
        <span className="ml-2 max-w-60 min-w-12 flex-1">
          <ProgressBar label={label} percent={(done / Math.max(1, total)) * 100} />
        </span>
      )}
    </div>
  )
}
