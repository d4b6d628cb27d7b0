import { t } from "i18next"
import { X } from "lucide-react"
import type { LogLine } from "../../../shared/contract/tickets.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { LongText } from "../../ui/text/LongText.tsx"
import { LogEntry, LogList } from "../../ui/text/LogList.tsx"

interface LogLinesProps {
  name: string
  lines: LogLine[]
  onChange: (lines: LogLine[]) => void
}

/** Log lines attached to a report. Each can be read and removed before anything is sent. */
export function LogLines({ name, lines, onChange }: LogLinesProps) {
  return (
    <details className="rounded-md border border-line text-sm">
      <summary className="px-3 py-2 hover:bg-hover">
        {name} <span className="text-faint">{t("support:report.lines", { count: lines.length })}</span>
      </summary>
      <div className="border-t border-line">
        {lines.length > 0 && (
          <div className="flex justify-end p-1.5">
            <Button onClick={() => onChange([])}>{t("support:report.dropAll")}</Button>
          </div>
        )}
        <LogList label={name} className="max-h-56 py-1">
          {lines.map((line, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- lines are told apart by their place only
            <LogEntry key={index} time={line.ts}>
              <span className="min-w-0 flex-1 break-all whitespace-pre-wrap">
                {line.level} <LongText text={line.message} />
              </span>
              <button
                type="button"
                aria-label={t("support:report.dropLine", { number: index + 1 })}
                className="rounded p-0.5 text-soft hover:bg-hover hover:text-ink"
                onClick={() => onChange(lines.filter((_, place) => place !== index))}
              >
                <X className="size-3.5" aria-hidden />
              </button>
            </LogEntry>
          ))}
        </LogList>
      </div>
    </details>
  )
}
