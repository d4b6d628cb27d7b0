import { t } from "i18next"
import { ExternalLink } from "lucide-react"
import type { FileEntry, WebCopy } from "../../../../shared/contract/files.ts"
import { useUpdateFile } from "../../../data/folders/files.ts"
import { describeError } from "../../../lib/box.ts"
import { formatFullMoment } from "../../../lib/words/format.ts"
import { toPageLanguage } from "../../../lib/words/sentence.ts"
import { Note } from "../../../ui/Note.tsx"
import { SelectField } from "../../../ui/controls/Field.tsx"
import { ForeignLink } from "../../../ui/text/ForeignLink.tsx"

/** Intervals for fetching a web page again, in hours; null: never automatically. */
const usualIntervals = [null, 1, 24, 168, 720] as const

const refreshName = (hours: number | null): string => {
  if (hours === null) return t("folders:web.never")
  if (hours === 1) return t("folders:web.hourly")
  if (hours === 24) return t("folders:web.daily")
  if (hours === 168) return t("folders:web.weekly")
  return hours % 24 === 0
    ? t("folders:web.everyDays", { count: hours / 24 })
    : t("folders:web.everyHours", { count: hours })
}

/** The usual intervals, and the current one if a script set another. */
const refreshChoices = (current: number | null): readonly (number | null)[] =>
  usualIntervals.some((hours) => hours === current) ? usualIntervals : [...usualIntervals, current]

const refreshValue = (hours: number | null): string => String(hours ?? "")
const readRefresh = (value: string): number | null => (value === "" ? null : Number(value))

interface RefreshFieldProps {
  hours: number | null
  onChange: (hours: number | null) => void
  disabled?: boolean
  error?: string | undefined
}

/** Chooses how often a web page is fetched again. */
export function RefreshField({ hours, onChange, ...rest }: RefreshFieldProps) {
  return (
    <SelectField
      label={t("folders:web.refresh")}
      hint={t("folders:web.refreshHint")}
      value={refreshValue(hours)}
      onChange={(event) => onChange(readRefresh(event.target.value))}
      {...rest}
    >
      {refreshChoices(hours).map((choice) => (
        <option key={refreshValue(choice)} value={refreshValue(choice)}>
          {refreshName(choice)}
        </option>
      ))}
    </SelectField>
  )
}

interface WebFactsProps {
  folderId: string
  file: FileEntry
  web: WebCopy
  owned: boolean
}

/** A web page's address, when it was fetched, and how often it is fetched again. */
export function WebFacts({ folderId, file, web, owned }: WebFactsProps) {
  const update = useUpdateFile(folderId)
  const { problem } = web
  return (
    <div className="mb-4 flex flex-col gap-3">
      <p className="text-sm break-all">
        <ForeignLink address={web.url} className="rounded text-accent hover:underline">
          {web.url} <ExternalLink aria-hidden className="inline size-3.5" />
        </ForeignLink>
        <span className="block text-xs text-faint">
          {t("folders:web.fetched", { moment: formatFullMoment(web.fetchedAt) })}
        </span>
      </p>
      {problem && (
        <Note kind="warning">
          {t("folders:web.problem", {
            moment: formatFullMoment(problem.at),
            why: toPageLanguage(problem.error, problem.sentence),
          })}
        </Note>
      )}
      {owned && (
        <RefreshField
          hours={web.refreshHours}
          disabled={update.isPending}
          onChange={(refreshHours) => update.mutate({ fileId: file.id, patch: { refreshHours } })}
          error={update.error ? describeError(update.error) : undefined}
        />
      )}
    </div>
  )
}
