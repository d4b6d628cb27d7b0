import { t } from "i18next"
import { ChevronRight } from "lucide-react"
import { useState } from "react"
import type { Coverage } from "../../../../shared/contract/chat.ts"
import { FileGlyph } from "../../../ui/pictures/FileGlyph.tsx"
import { Spinner } from "../../../ui/Progress.tsx"
import { VirtualList } from "../../../ui/VirtualList.tsx"
import { MiddleCut } from "../../../ui/text/MiddleCut.tsx"

const rowHeight = 44

interface CoverageLineProps {
  files: Coverage["files"]
  /** Whether more files are still being searched. */
  isLoading: boolean
  onOpen: (file: { fileId: string; name: string }) => void
}

/** Number of files searched. It expands to list files that weren't searched, or only in part, and why. */
export function CoverageLine({ files, isLoading, onOpen }: CoverageLineProps) {
  const [open, setOpen] = useState(false)
  const lacking = files.filter(({ skipped }) => skipped !== null)
  const looked = t("overview:looked", { count: files.length - lacking.length })
  return (
    <footer className="border-t border-line px-4 py-1.5 text-xs text-soft tabular-nums">
      <div className="flex min-h-6 flex-wrap items-center gap-x-3">
        {isLoading && <Spinner label={t("overview:looking")} />}
        <output>{looked}</output>
        {lacking.length > 0 && (
          <button
            type="button"
            aria-expanded={open}
            onClick={() => setOpen(!open)}
            className="flex h-6 items-center gap-1 rounded px-1 text-warning hover:bg-hover"
          >
            <ChevronRight className={`size-3 transition-transform ${open ? "rotate-90" : ""}`} aria-hidden />
            {t("overview:lacking", { count: lacking.length })}
          </button>
        )}
      </div>
      {open && lacking.length > 0 && (
        <VirtualList
          label={t("overview:lackingList")}
          items={lacking}
          getId={({ fileId }) => fileId}
          getHeight={() => rowHeight}
          className="mt-1 max-h-48 overflow-y-auto rounded-lg border border-line p-1"
        >
          {(file) => (
            <button
              type="button"
              onClick={() => onOpen(file)}
              className="flex h-full w-full items-center gap-2 rounded-md px-2 text-left hover:bg-hover focus-visible:-outline-offset-2"
            >
              <FileGlyph name={file.name} />
              <span className="min-w-0 flex-1">
                <span className="block truncate text-sm text-ink" title={file.name}>
                  <MiddleCut text={file.name} />
                </span>
                <span className="block truncate" title={file.skipped ?? undefined}>
                  {file.skipped}
                </span>
              </span>
              {file.read > 0 && (
                <span className="shrink-0 text-faint">
                  {t(`reading:amount.${file.unit}`, { read: file.read, count: file.of })}
                </span>
              )}
            </button>
          )}
        </VirtualList>
      )}
    </footer>
  )
}
