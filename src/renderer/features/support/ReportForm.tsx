import { t } from "i18next"
import { Archive, Send } from "lucide-react"
import { useState } from "react"
import { ticketLimits } from "../../../shared/contract/support.ts"
import { TicketType, type LogLine } from "../../../shared/contract/tickets.ts"
import { getIssues } from "../../lib/words/field-issues.ts"
import { formatCount } from "../../lib/words/format.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { DialogActions } from "../../ui/layers/Dialog.tsx"
import { SelectField, TextAreaField, TextField } from "../../ui/controls/Field.tsx"
import { Note } from "../../ui/Note.tsx"
import { SaveReport } from "./KeepReport.tsx"
import { AttachmentField } from "./AttachmentField.tsx"
import { LogLines } from "./LogLines.tsx"
import type { ReportDraft } from "./report-draft.ts"
import { ScreenshotField } from "./ScreenshotField.tsx"

interface Logs {
  uiLogs: LogLine[]
  serverLogs: LogLine[]
}

interface ReportFormProps {
  draft: ReportDraft
  onChange: (changes: Partial<ReportDraft>) => void
  logs: Logs
  isNew: boolean
  /** Whether there is a service to send it to. */
  hasService: boolean
  error: unknown
  busy: boolean
  onSubmit: (logs: Logs) => void
  onDiscard: () => void
}

export function ReportForm({
  draft,
  onChange,
  logs,
  isNew,
  hasService,
  error,
  busy,
  onSubmit,
  onDiscard,
}: ReportFormProps) {
  const [chosen, setChosen] = useState(logs)
  const [tried, setTried] = useState(false)
  const { type, title, description, page, screenshot, attachment } = draft
  const faults = tried ? getFaults(draft) : {}
  const issues = getIssues(error, ["title", "description"])
  const complete = () => {
    setTried(true)
    return Object.keys(getFaults(draft)).length === 0
  }
  return (
    <form
      noValidate
      className="mt-4 flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        if (complete()) onSubmit(chosen)
      }}
    >
      <SelectField
        label={t("support:report.type")}
        value={type}
        onChange={(event) => onChange({ type: TicketType.parse(event.target.value) })}
      >
        {TicketType.options.map((option) => (
          <option key={option} value={option}>
            {t(`support:types.${option}`)}
          </option>
        ))}
      </SelectField>
      <TextField
        label={t("support:report.subject")}
        spellCheck
        value={title}
        maxLength={ticketLimits.title.max}
        error={faults.title ?? issues["title"]}
        onChange={(event) => onChange({ title: event.target.value })}
      />
      <TextAreaField
        label={t("support:report.what")}
        rows={6}
        value={description}
        error={faults.description ?? issues["description"]}
        hint={t("support:report.whatHint")}
        onChange={(event) => onChange({ description: event.target.value })}
      />
      <ScreenshotField picture={screenshot} onChange={(next) => onChange({ screenshot: next })} />
      <AttachmentField attachment={attachment} onChange={(next) => onChange({ attachment: next })} />
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1.5 text-sm font-medium">{t("support:report.logs")}</legend>
        <p className="text-xs text-faint">{t("support:report.logsHint")}</p>
        <LogLines
          name={t("support:report.uiLogs")}
          lines={chosen.uiLogs}
          onChange={(uiLogs) => setChosen({ ...chosen, uiLogs })}
        />
        {logs.serverLogs.length > 0 && (
          <LogLines
            name={t("support:report.serverLogs")}
            lines={chosen.serverLogs}
            onChange={(serverLogs) => setChosen({ ...chosen, serverLogs })}
          />
        )}
      </fieldset>
      {page !== "" && <p className="text-xs text-faint">{t("support:report.context", { page })}</p>}
      {issues["other"] !== undefined && <Note kind="error">{issues["other"]}</Note>}
      <DialogActions>
        {isNew && (
          <Button variant="quiet" onClick={onDiscard}>
            {t("support:report.discard")}
          </Button>
        )}
        <SaveReport take={() => (complete() ? { ...draft, ...chosen } : undefined)} />
        <Button type="submit" variant="primary" busy={busy}>
          {hasService ? <Send aria-hidden /> : <Archive aria-hidden />}{" "}
          {t(`support:report.${hasService ? (isNew ? "send" : "save") : "sendLater"}`)}
        </Button>
      </DialogActions>
    </form>
  )
}

/** Messages for values that the service would refuse. */
function getFaults({ title, description }: ReportDraft): { title?: string; description?: string } {
  const { min } = ticketLimits.title
  return {
    ...(title.trim().length < min && { title: t("support:report.titleTooShort", { count: min }) }),
    ...(description.trim() === "" && { description: t("support:report.descriptionMissing") }),
    ...(description.trim().length > ticketLimits.description && {
      description: t("support:report.descriptionTooLong", {
        most: formatCount(ticketLimits.description),
        over: formatCount(description.trim().length - ticketLimits.description),
      }),
    }),
  }
}
