import { t } from "i18next"
import { CircleCheck, TriangleAlert } from "lucide-react"
import type { Coverage, Source } from "../../../../../shared/contract/chat.ts"
import { summariseCoverage } from "../../../../../shared/coverage.ts"
import { Fold } from "../../parts/Fold.tsx"
import { CoverageFiles } from "./CoverageFiles.tsx"
import { commonReason } from "./why-skipped.ts"

interface CoverageFoldProps {
  chatId: string
  coverage: Coverage
  sources: readonly Source[]
  /** Its position in the chat. */
  place: string
}

/** The amount read for an answer, in a line that expands to the files. */
export function CoverageFold({ chatId, coverage, sources, place }: CoverageFoldProps) {
  const { files, complete } = coverage
  const reason = commonReason(files)
  const amounts = describeCoverage(coverage)
  const Icon = complete ? CircleCheck : TriangleAlert
  return (
    <Fold
      place={place}
      summary={
        <>
          <Icon className={`size-4 shrink-0 ${complete ? "" : "text-warning"}`} aria-hidden />
          <span className={`min-w-0 tabular-nums ${complete ? "" : "text-ink"}`}>
            {complete
              ? t("reading:complete", { amounts })
              : reason === null
                ? t("reading:incomplete", { amounts })
                : t("reading:incompleteFor", { amounts, reason })}
          </span>
        </>
      }
    >
      <CoverageFiles chatId={chatId} files={files} sources={sources} />
    </Fold>
  )
}

/** "78 of 80 pages, 2 of 14 files skipped" */
function describeCoverage({ files }: Coverage): string {
  const { amounts, skipped, partly } = summariseCoverage(files)
  const words = [
    ...amounts.map(({ unit, read, of }) => t(`reading:amount.${unit}`, { read, count: of })),
    ...(skipped > 0 ? [t("reading:skipped", { skipped, count: files.length })] : []),
    ...(partly > 0 ? [t("reading:partly", { count: partly })] : []),
    ...(skipped + partly === 0 ? [t("reading:files", { count: files.length })] : []),
  ]
  return words.join(", ")
}
