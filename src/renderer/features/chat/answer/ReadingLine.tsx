import { t } from "i18next"
import { formatRoughTime } from "../../../lib/words/format.ts"
import { ProgressBar, Spinner } from "../../../ui/Progress.tsx"
import type { ReadingProgress } from "../session/live-answer.ts"
import { MiddleCut } from "../../../ui/text/MiddleCut.tsx"

/** Reading progress of the documents. Not announced to screen readers, because it changes with every part. */
export function ReadingLine({ reading }: { reading: ReadingProgress }) {
  const { stage, done, total, secondsLeft, fileName } = reading
  const label = stage === "reading" ? t("chat:reading.parts", { done, total }) : t("chat:reading.combining")
  return (
    <div aria-live="off" className="flex h-6 items-center gap-2 text-sm text-soft tabular-nums">
      <Spinner />
      <span className="shrink-0">{label}</span>
      {secondsLeft !== undefined && (
        <span className="shrink-0 text-faint">
          {t("chat:reading.left", { time: formatRoughTime(secondsLeft) })}
        </span>
      )}
      {(stage === "reading" || total > 1) && (
        <span className="ml-2 max-w-60 min-w-12 flex-1">
          <ProgressBar label={label} percent={(done / Math.max(1, total)) * 100} />
        </span>
      )}
      {fileName !== undefined && (
        <span className="min-w-0 flex-1 truncate text-faint" title={fileName}>
          <MiddleCut text={fileName} />
        </span>
      )}
    </div>
  )
}
