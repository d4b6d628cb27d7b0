import { t } from "i18next"
import type { FileEntry, FileStatus } from "../../../../shared/contract/files.ts"
import { formatPercent } from "../../../lib/words/format.ts"
import { classNames } from "../../../ui/class-names.ts"
import { ProgressBar } from "../../../ui/Progress.tsx"
import { getReason } from "../../../lib/words/sentence.ts"

const dots: Record<FileStatus, string> = {
  queued: "bg-line-strong",
  processing: "bg-accent",
  completed: "bg-good",
  failed: "bg-danger",
  skipped: "bg-warning",
}

/** A file's indexing state, and why it isn't indexed. */
export function FileState({ file, leaving }: { file: FileEntry; leaving: boolean }) {
  const { name, status, progress } = file
  const reason = getReason(file)
  const phase = t(`folders:phase.${file.phase}`)
  return (
    <div className="flex min-w-0 items-center gap-2">
      <span className={classNames("size-1.5 shrink-0 rounded-full", dots[status])} aria-hidden />
      {status === "processing" && !leaving ? (
        <div className="flex w-full max-w-36 flex-col gap-1">
          <span className="flex justify-between gap-2 text-xs leading-tight text-soft">
            <span className="truncate">{phase}</span>
            {progress > 0 && <span className="tabular-nums">{formatPercent(progress / 100)}</span>}
          </span>
          <ProgressBar percent={progress} label={t("folders:file.progress", { name, phase })} />
        </div>
      ) : (
        <span
          title={reason ?? undefined}
          className={classNames(
            "line-clamp-2 text-xs leading-tight",
            status === "failed" ? "text-danger" : "text-soft",
          )}
        >
          {leaving ? t("folders:file.leaving") : shownState(file, reason)}
        </span>
      )}
    </div>
  )
}

function shownState({ status, leftOut, generatedBy }: FileEntry, reason: string | null): string {
  if (leftOut === true) return t("folders:file.leftOut")
  if (generatedBy && status === "completed") return t("folders:file.generated")
  return reason ?? t(`folders:status.${status}`)
}
