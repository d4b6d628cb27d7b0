import { t } from "i18next"
import { Paperclip, X } from "lucide-react"
import { useState } from "react"
import { ticketLimits, type SupportDraft } from "../../../shared/contract/support.ts"
import { formatSize } from "../../lib/words/format.ts"
import { Button, IconButton } from "../../ui/controls/Button.tsx"
import { useFileInput } from "../../ui/controls/FileInput.tsx"
import { MiddleCut } from "../../ui/text/MiddleCut.tsx"

interface AttachmentFieldProps {
  attachment: SupportDraft["attachment"]
  onChange: (attachment: SupportDraft["attachment"]) => void
}

/** Four characters of a data URL encode three bytes. */
const largestBytes = Math.floor(((ticketLimits.attachment - 300) * 3) / 4)

function readAsDataUrl(file: File): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const reader = new FileReader()
  reader.addEventListener("load", () => resolve(typeof reader.result === "string" ? reader.result : ""))
  reader.addEventListener("error", () => reject(reader.error ?? new Error("unreadable")))
  reader.readAsDataURL(file)
  return promise
}

/** A document attached to a report. */
export function AttachmentField({ attachment, onChange }: AttachmentFieldProps) {
  const [error, setError] = useState<string>()

  async function attach(file: File): Promise<void> {
    setError(undefined)
    if (file.size > largestBytes) {
      setError(t("support:report.attachmentTooLarge", { name: file.name, most: formatSize(largestBytes) }))
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
