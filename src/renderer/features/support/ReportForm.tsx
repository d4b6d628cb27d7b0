import { t } from "i18next"
import { Paperclip, X, Copy, Download, Archive, Send } from "lucide-react"
import { useState } from "react"
import { ticketLimits, type SupportDraft } from "../../../shared/contract/support.ts"
import { type LogLine, TicketType } from "../../../shared/contract/tickets.ts"
import { useHealth } from "../../data/health.ts"
import { copyText } from "../../lib/browser/clipboard.ts"
import { saveFile, toFileName } from "../../lib/browser/download.ts"
import { showError, showToast } from "../../lib/toasts.ts"
import { getIssues } from "../../lib/words/field-issues.ts"
import { formatSize, formatCount } from "../../lib/words/format.ts"
import { Note } from "../../ui/Note.tsx"
import { Button, IconButton } from "../../ui/controls/Button.tsx"
import { SelectField, TextAreaField, TextField } from "../../ui/controls/Field.tsx"
import { useFileInput } from "../../ui/controls/FileInput.tsx"
import { DialogActions } from "../../ui/layers/Dialog.tsx"
import { LogEntry, LogList } from "../../ui/text/LogList.tsx"
import { LongText, MiddleCut } from "../../ui/text/LongText.tsx"
import { ScreenshotField } from "./ScreenshotField.tsx"
import { flatten } from "./picture.ts"
import { reportPage, reportText, type WrittenReport, type Report, type ReportDraft } from "./report-draft.ts"

interface AttachmentFieldProps {
  attachment: SupportDraft["attachment"]
  onChange: (attachment: SupportDraft["attachment"]) => void
}

/** Four characters of a data URL encode three bytes. */
const largestAttachmentBytes = Math.floor(((ticketLimits.attachment - 300) * 3) / 4)

function readAsDataUrl(file: File): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const reader = new FileReader()
  reader.addEventListener("load", () => resolve(typeof reader.result === "string" ? reader.result : ""))
  reader.addEventListener("error", () => reject(reader.error ?? new Error("unreadable")))
  reader.readAsDataURL(file)
  return promise
}

/** A document attached to a report. */
function AttachmentField({ attachment, onChange }: AttachmentFieldProps) {
  const [error, setError] = useState<string>()

  async function attach(file: File): Promise<void> {
    setError(undefined)
    if (file.size > largestAttachmentBytes) {
      setError(
        t("support:report.attachmentTooLarge", { name: file.name, most: formatSize(largestAttachmentBytes) }),
      )
      return
    }
    try {
      onChange({ name: file.name.slice(-ticketLimits.attachmentName), dataUrl: await readAsDataUrl(file) })
    } catch {
      setError(t("support:report.attachmentUnreadable", { name: file.name }))
    }
  }

  const chooser = useFileInput({
    label: t("support:report.attach"),
    onFiles([file]) {
      if (file) void attach(file)
    },
  })

  return (
    <fieldset className="flex flex-col items-start gap-2">
      <legend className="mb-1.5 text-sm font-medium">{t("support:report.attachment")}</legend>
      {attachment ? (
        <span className="flex max-w-full items-center gap-1 rounded-md border border-line py-0.5 pr-0.5 pl-2 text-sm">
          <span className="min-w-0 truncate" title={attachment.name}>
            <MiddleCut text={attachment.name} />
          </span>
          <IconButton label={t("support:report.removeAttachment")} onClick={() => onChange(null)}>
            <X aria-hidden />
          </IconButton>
        </span>
      ) : (
        <Button onClick={chooser.open}>
          <Paperclip aria-hidden /> {t("support:report.attach")}
        </Button>
      )}
      {error !== undefined && (
        <p role="alert" className="text-xs text-danger">
          {error}
        </p>
      )}
      {chooser.input}
    </fieldset>
  )
}

interface LogLinesProps {
  name: string
  lines: LogLine[]
  onChange: (lines: LogLine[]) => void
}

/** Log lines attached to a report. Each can be read and removed before anything is sent. */
function LogLines({ name, lines, onChange }: LogLinesProps) {
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
            // oxlint-disable-next-line react/no-array-index-key -- lines differ only in their position
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

/** Exports a report without any service, as a single file or as text. */
function SaveReport({ take }: { take: () => Report | undefined }) {
  const { data: health } = useHealth()
  const keep = async (use: (report: WrittenReport) => Promise<void> | void): Promise<void> => {
    const report = take()
    if (!report) return
    try {
      // Blacked-out parts are removed here too.
      const screenshot = report.screenshot === null ? null : await flatten(report.screenshot)
      const context = [`Casella ${health?.version ?? ""}`.trim(), navigator.userAgent, report.page]
      await use({ ...report, screenshot, context: context.filter((piece) => piece !== "").join("\n") })
    } catch (error) {
      showError(error)
    }
  }
  return (
    <>
      <Button
        onClick={() =>
          void keep(async (report) => {
            await copyText(reportText(report))
            showToast(t("common:copied"))
          })
        }
      >
        <Copy aria-hidden /> {t("support:report.copy")}
      </Button>
      <Button
        onClick={() =>
          void keep((report) =>
            saveFile(`${toFileName(report.title, "report")}.html`, reportPage(report), "text/html"),
          )
        }
      >
        <Download aria-hidden /> {t("support:report.saveFile")}
      </Button>
    </>
  )
}

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
